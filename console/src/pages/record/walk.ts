import { useLocation, useNavigate } from '@tanstack/react-router';
import { useShortcuts } from '../../parts/shortcuts.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The list of records from which one came: `[` and `]` walk it. */
    walk?: Walk;
  }
}

interface Walk {
  runId: string;
  ids: string[];
}

/** The way through the list from which one came to a record. */
export function useWalk({ projectId, recordId }: { projectId: string; recordId: string }) {
  const walk = useLocation({ select: ({ state }) => state.walk });
  const navigate = useNavigate();
  const place = walk ? walk.ids.indexOf(recordId) : -1;
  const goTo = (index: number) => {
    const next = walk?.ids[index];
    if (place === -1 || next === undefined) return undefined;
    return () =>
      void navigate({
        to: '/projects/$projectId/records/$recordId',
        params: { projectId, recordId: next },
        search: (before: object) => before,
        state: { walk: walk! },
        replace: true,
      });
  };
  const [previous, next] = [goTo(place - 1), goTo(place + 1)];
  useShortcuts({
    ...(previous ? { previousRecord: previous } : {}),
    ...(next ? { nextRecord: next } : {}),
  });
  return { previous, next, place: place + 1, count: walk?.ids.length ?? 0 };
}
