import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../../api/session.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Snippet } from '../../parts/copy.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf } from '../../text/format.ts';
import { SetUpForm } from './set-up-form.tsx';
import { type ReviewStart, type ReviewWish, useReviewStart } from './use-review-start.ts';

interface SetUpProps {
  projectId: string;
  /** The run that is chosen at first. */
  runId: string | undefined;
  metricId?: string | undefined;
  /** These records of the run; without them, some are drawn by chance. */
  recordIds?: string[];
  onClose: () => void;
}

/**
 * Sets a review up: which records of a run, for which metric, by whom. A metric that the run does
 * not have joins it; the records are assigned to the members.
 */
export function SetUpReview({ projectId, runId, metricId, recordIds, onClose }: SetUpProps) {
  const [wish, setWish] = useState<ReviewWish>();
  const { state, start } = useReviewStart(projectId);
  if (wish && state.started)
    return <Started projectId={projectId} wish={wish} started={state.started} onClose={onClose} />;
  return (
    <Dialog title={recordIds ? 'Start a review of these' : 'Set up a review'} onClose={onClose}>
      <SetUpForm
        projectId={projectId}
        runId={runId}
        metricId={metricId}
        recordIds={recordIds}
        isBusy={state.sentence !== undefined}
        error={state.error}
        submit={(chosen) => {
          setWish(chosen);
          start(chosen);
        }}
        onClose={onClose}
      />
      <p role="status">{state.sentence}</p>
      {state.error && <Problem error={state.error} />}
    </Dialog>
  );
}

/** The review is set up: the link that the members need. */
function Started({
  projectId,
  wish: { runId, userIds },
  started: { assigned, metricId },
  onClose,
}: {
  projectId: string;
  wish: ReviewWish;
  started: ReviewStart;
  onClose: () => void;
}) {
  const me = useMe();
  const to = '/projects/$projectId/review/go' as const;
  const search = { run: runId, metric: metricId, only: 'assigned' as const };
  const { publicHref } = useRouter().buildLocation({ to, params: { projectId }, search });
  const isMine = me.data !== undefined && userIds.includes(me.data.member.userId);
  return (
    <Dialog title={assigned === 0 ? 'Nothing to review' : 'The review is set up'} onClose={onClose}>
      {assigned === 0 ? (
        <p>Every record of the run has its score of this metric.</p>
      ) : (
        <>
          <p>
            {countOf(assigned, 'record')} assigned to {countOf(userIds.length, 'member')}. Each
            finds their own by this link, and in the queue before all others come:
          </p>
          <Snippet code={`${location.origin}${publicHref}`} />
        </>
      )}
      <Actions>
        <Button onClick={onClose}>Close</Button>
        {isMine && assigned > 0 && (
          <ButtonLink kind="main" to={to} params={{ projectId }} search={search}>
            Start reviewing mine
          </ButtonLink>
        )}
      </Actions>
    </Dialog>
  );
}
