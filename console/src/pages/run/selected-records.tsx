import { lazy, Suspense } from 'react';
import { deleteIfThere, useEach } from '../../api/each.ts';
import { useMembers } from '../../api/members.ts';
import { useChange } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import { useRescoreEstimate } from '../../api/rescore-estimate.ts';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { DeleteSelected } from '../../parts/delete-selected.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import type { Action } from '../../parts/grid/action-menu.tsx';
import type { Selection } from '../../parts/grid/selection.ts';
import { Problem } from '../../parts/problem.tsx';
import { countOf, formatCount } from '../../text/format.ts';
import { memberNames } from '../../text/names.ts';
import { costSentences } from '../../text/rescoring.ts';
import type { MetricSummary } from './run-summary.ts';

const SetUpReview = lazy(async () => ({
  default: (await import('../review/set-up.tsx')).SetUpReview,
}));

/** Records that one rescoring takes (contract section 3). */
const rescoredMax = 10_000;

interface SelectedProps {
  selection: Selection;
  onClose: () => void;
}

/** The actions on the records that are selected. */
export function recordActions({
  projectId,
  runId,
  metrics,
  selection,
}: {
  projectId: string;
  runId: string;
  metrics: MetricSummary[];
  selection: Selection;
}): Action[] {
  const isScored = metrics.some(({ evalType }) => evalType !== 'human');
  return [
    { text: 'Tag', dialog: (onClose) => <TagSelected {...{ selection, onClose }} /> },
    { text: 'Assign', dialog: (onClose) => <AssignSelected {...{ selection, onClose }} /> },
    {
      text: 'Start a review of these',
      dialog: (onClose) => (
        <Suspense>
          <SetUpReview {...{ projectId, runId, onClose }} recordIds={[...selection.ids]} />
        </Suspense>
      ),
    },
    ...(isScored
      ? [
          {
            text: 'Rescore',
            problem:
              selection.ids.size > rescoredMax
                ? `At most ${formatCount(rescoredMax)} records at once.`
                : undefined,
            dialog: (onClose: () => void) => <RescoreSelected {...{ runId, selection, onClose }} />,
          },
        ]
      : []),
    {
      text: 'Delete',
      isDangerous: true,
      dialog: (onClose) => (
        <DeleteSelected
          selection={selection}
          noun="record"
          remove={(recordId) => deleteIfThere('/records/:recordId', { recordId })}
          refreshes={[
            '/runs/:runId/records',
            '/runs/:runId/records/search',
            '/runs/:runId',
            '/runs/:runId/summary',
          ]}
          onClose={onClose}
        >
          They go with their scores, tags and annotations, and cannot be had back.
        </DeleteSelected>
      ),
    },
  ];
}

function TagSelected({ selection, onClose }: SelectedProps) {
  const tag = useEach<string>([...selection.ids], {
    work: (recordId, text) =>
      request('POST', '/records/:recordId/tags', { params: { recordId }, body: { text } }),
    refreshes: ['/runs/:runId/records', '/records/:recordId/tags'],
  });
  return (
    <ChangeDialog
      title={`Tag ${recordsIn(selection)}`}
      button="Tag"
      change={tag}
      whole={recordsIn(selection)}
      submit={(form) => tag.mutate(`${form.get('text')}`.trim())}
      said={`tagged “${tag.variables}”`}
      onClose={onClose}
    >
      <Field label="Tag" name="text" required maxLength={256} defaultValue="discuss" />
    </ChangeDialog>
  );
}

function AssignSelected({ selection, onClose }: SelectedProps) {
  const members = useMembers();
  const nameOf = memberNames(members.data?.data);
  const assign = useEach<string>([...selection.ids], {
    work: (recordId, assigneeUserId) =>
      request('POST', '/records/:recordId/assignees', {
        params: { recordId },
        body: { assigneeUserId },
      }),
    refreshes: ['/runs/:runId/records', '/records/:recordId/assignees'],
  });
  return (
    <ChangeDialog
      title={`Assign ${recordsIn(selection)}`}
      button="Assign"
      change={assign}
      whole={recordsIn(selection)}
      submit={(form) => assign.mutate(`${form.get('member')}`)}
      said={`assigned to ${nameOf(assign.variables ?? '')}`}
      onClose={onClose}
    >
      {members.error && <Problem error={members.error} retry={() => void members.refetch()} />}
      <Choice label="To" name="member" required>
        {members.data?.data.map(({ userId }) => (
          <option key={userId} value={userId}>
            {nameOf(userId)}
          </option>
        ))}
      </Choice>
    </ChangeDialog>
  );
}

function RescoreSelected({ runId, selection, onClose }: SelectedProps & { runId: string }) {
  const rescore = useChange('POST', '/runs/:runId/rescore', {
    refreshes: ['/runs/:runId', '/runs/:runId/summary', '/runs/:runId/records'],
  });
  const recordIds = [...selection.ids];
  const estimate = useRescoreEstimate(runId, { recordIds });
  return (
    <ChangeDialog
      title={`Score ${recordsIn(selection)} anew`}
      button="Rescore"
      change={rescore}
      whole={recordsIn(selection)}
      submit={() => rescore.mutate({ params: { runId }, body: { recordIds } })}
      said={`: ${countOf(rescore.data?.queued ?? 0, 'score')} will be made`}
      onClose={onClose}
    >
      <p>With the present versions of the metrics. Scores that people gave stay.</p>
      {estimate.error && <Problem error={estimate.error} retry={() => void estimate.refetch()} />}
      <p role="status">
        {estimate.data
          ? costSentences(estimate.data.metrics, estimate.data.budgetLeftUsd).join(' ')
          : 'Estimating what judges would cost …'}
      </p>
    </ChangeDialog>
  );
}

const recordsIn = ({ ids }: Selection): string => countOf(ids.size, 'record');
