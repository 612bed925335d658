import { useEffect, useRef, useState } from 'react';
import { urlOf } from './request.ts';

/** How long to wait where the server has refused the connection, in ms. */
const againMs = 3000;

/**
 * Listens to the events of a URL while the page is visible and `isOn`. The browser resumes after
 * the last event that it has seen; after a refusal, such as a 503, it would give up, so the
 * connection is made anew. Returns whether the connection stands.
 */
export function useEvents(
  path: string,
  {
    params,
    isOn,
    on,
  }: {
    params: Record<string, string>;
    isOn: boolean;
    /** Called with the data of each event of that name. */
    on: Record<string, (data: unknown) => void>;
  },
): boolean {
  const handlers = useRef(on);
  handlers.current = on;
  const isVisible = useVisibility();
  const [isConnected, setConnected] = useState(false);
  const url = urlOf(path, { params });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!isOn || !isVisible) return;
    const source = new EventSource(url);
    source.onopen = () => setConnected(true);
    let again: ReturnType<typeof setTimeout> | undefined;
    source.onerror = () => {
      setConnected(false);
      if (source.readyState === EventSource.CLOSED)
        again = setTimeout(() => setAttempt(attempt + 1), againMs);
    };
    for (const name of Object.keys(handlers.current))
      source.addEventListener(name, ({ data }) => handlers.current[name]?.(JSON.parse(data)));
    return () => {
      clearTimeout(again);
      source.close();
      setConnected(false);
    };
  }, [url, isOn, isVisible, attempt]);
  return isConnected;
}

function useVisibility(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const changed = () => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', changed);
    return () => document.removeEventListener('visibilitychange', changed);
  }, []);
  return isVisible;
}
