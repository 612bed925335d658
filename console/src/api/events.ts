import { eventsOf, type ServerEvent } from '@assay/client/events';
import { useEffect, useRef, useState } from 'react';
import { send, urlOf } from './request.ts';

/** How long to wait before a connection that ended, or was refused, is made anew, in ms. */
const againMs = 3000;

/**
 * Listens to the events of a URL while the page is visible and `isOn`. A connection that ends is
 * made anew, and resumes after the last event that came: by `fetch`, since the browser's
 * `EventSource` sends no header. Returns whether the connection stands.
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
    const ended = new AbortController();
    const { signal } = ended;
    void listen(url, {
      signal,
      connected: (stands) => signal.aborted || setConnected(stands),
      heard: ({ event, data }) => handlers.current[event]?.(JSON.parse(data)),
    });
    return () => {
      ended.abort();
      setConnected(false);
    };
  }, [url, isOn, isVisible]);
  return isConnected;
}

async function listen(
  url: string,
  {
    signal,
    connected,
    heard,
  }: {
    signal: AbortSignal;
    connected: (stands: boolean) => void;
    heard: (event: ServerEvent) => void;
  },
): Promise<void> {
  let lastEventId: string | undefined;
  while (!signal.aborted) {
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      };
      const { body } = await send(url, { signal, headers });
      connected(true);
      for await (const event of eventsOf(body!)) {
        lastEventId = event.id ?? lastEventId;
        heard(event);
      }
    } catch {
      // The next try shows whether it goes on.
    }
    connected(false);
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
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
