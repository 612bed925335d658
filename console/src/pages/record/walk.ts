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
  /** How many records of the list come before these. */
  before?: number;
  /** How many the list has, where that is known. */
  total?: number | undefined;
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
  const { ids = [], before = 0, total } = walk ?? {};
  return {
    previous,
    next,
    place: place === -1 ? 0 : before + place + 1,
    count: total ?? before + ids.length,
  };
}
