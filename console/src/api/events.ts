import { useEffect, useRef, useState } from 'react';
import { urlOf } from './request.ts';

/**
 * Listens to the events of a URL while the page is visible and `isOn`. The browser resumes after
 * the last event that it has seen. Returns whether the connection stands.
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
  useEffect(() => {
    if (!isOn || !isVisible) return;
    const source = new EventSource(url);
    source.onopen = () => setConnected(true);
    source.onerror = () => setConnected(false);
    for (const name of Object.keys(handlers.current))
      source.addEventListener(name, ({ data }) => handlers.current[name]?.(JSON.parse(data)));
    return () => {
      source.close();
      setConnected(false);
    };
  }, [url, isOn, isVisible]);
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
