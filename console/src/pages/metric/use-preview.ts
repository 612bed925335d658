import type { ReplyOf } from '@assay/client/operations';
import { writeJson } from '@assay/json/write';
import { useMutation } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import { type Draft, trialBodyOf } from './draft.ts';
import type { Sample } from './use-sample.ts';

/** Records that a preview scores at most. */
export const previewRecords = 50;

export type PreviewReply = ReplyOf<'POST', '/metrics/:metricId/preview'>;

/** Scores records of the sample's run with the draft. Nothing of it is kept. */
export function usePreview({
  projectId,
  metricId,
  saved,
  draft,
  sample: { runId, isScored },
}: {
  projectId: string;
  metricId: string | undefined;
  saved: Draft;
  draft: Draft;
  sample: Sample;
}) {
  const body = trialBodyOf(draft);
  const asked = writeJson({ body, runId });
  const preview = useMutation({
    mutationFn: async () => {
      const which = { runId: runId!, limit: previewRecords };
      const reply =
        metricId !== undefined && isScored
          ? await request('POST', '/metrics/:metricId/preview', {
              params: { metricId },
              body: { change: body, ...which },
            })
          : await request('POST', '/projects/:projectId/metrics/preview', {
              params: { projectId },
              body: { metric: body, ...which },
            });
      return { reply, asked, saved, draft };
    },
  });
  return {
    start: () => preview.mutate(),
    clear: preview.reset,
    isRunning: preview.isPending,
    isPossible: runId !== undefined,
    error: preview.error,
    /** The preview that was made last, with the drafts that it is of. */
    shown: preview.data,
    /** The preview is of the draft in its present state. */
    isCurrent: preview.data?.asked === asked,
  };
}

export type PreviewState = ReturnType<typeof usePreview>;
