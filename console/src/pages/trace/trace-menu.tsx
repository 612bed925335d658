import { useNavigate } from '@tanstack/react-router';
import { ThingMenu } from '../../parts/thing-menu.tsx';
import { countOf, visible } from '../../text/format.ts';
import type { TraceItem } from '../traces/use-new-traces.ts';

/** Deletes a trace with its spans. */
export function TraceMenu({ projectId, trace }: { projectId: string; trace: TraceItem }) {
  const { traceId, name, numSpans } = trace;
  const navigate = useNavigate();
  return (
    <ThingMenu
      noun="trace"
      thing={{ id: traceId, name: visible(name) || traceId }}
      deletion={{
        path: '/traces/:traceId',
        params: { traceId },
        refreshes: ['/projects/:projectId/traces', '/sessions/:sessionId/traces'],
        consequence: `Its ${countOf(numSpans, 'span')} go with it. Testcases and records that were made of it stay.`,
        leave: () => void navigate({ to: '/projects/$projectId/traces', params: { projectId } }),
      }}
    />
  );
}
