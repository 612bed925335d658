import type { BodyOf } from '@assay/client/operations';
import { writeJson } from '@assay/json/write';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { request } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { OutcomeMark } from '../../parts/score.tsx';
import { formatDollars } from '../../text/format.ts';
import { outcomeOf } from '../../text/scores.ts';
import { type Draft, passingRuleIn, trialBodyOf } from './draft.ts';
import styles from './metric.module.css';
import { previewRecords } from './use-preview.ts';

/** Loaded with the first reason. */
const Markdown = lazy(async () => ({
  default: (await import('../../parts/markdown.tsx')).Markdown,
}));

type TrialBody = BodyOf<'POST', '/projects/:projectId/metrics/preview'>;

/** Scores the shown record with the draft: the value, its reason and its cost. */
export function Trial({
  projectId,
  draft,
  on,
  isFaulty,
}: {
  projectId: string;
  draft: Draft;
  /** A record of a run, or one that is typed. */
  on: Pick<TrialBody, 'runId' | 'recordId' | 'record'>;
  isFaulty: boolean;
}) {
  const body = trialBodyOf(draft);
  const asked = writeJson({ body, on });
  const trial = useMutation({
    mutationFn: async () => {
      const reply = await request('POST', '/projects/:projectId/metrics/preview', {
        params: { projectId },
        body: { metric: body, ...on, limit: 1 },
      });
      return { reply, asked, rule: passingRuleIn(draft) };
    },
  });
  const { reply, rule } = trial.data ?? {};
  const [score] = reply?.scores ?? [];
  const [failure] = reply?.failures ?? [];
  const [exempt] = reply?.notApplicable ?? [];
  return (
    <div className={styles.trial}>
      <Button isBusy={trial.isPending} disabled={isFaulty} onClick={() => trial.mutate()}>
        {trial.isPending ? 'Scoring …' : 'Try'}
      </Button>
      <div role="status" className={styles.trialSaid}>
        {score && rule && (
          <>
            <OutcomeMark
              outcome={outcomeOf(rule, score.value)}
              value={typeof score.value === 'number' ? score.value : null}
            />
            <Suspense>
              <Markdown text={score.reasoning} />
            </Suspense>
          </>
        )}
        {failure && (
          <>
            <OutcomeMark outcome="failed" code={failure.code} />
            <p>{failure.message}</p>
          </>
        )}
        {exempt && (
          <>
            <OutcomeMark outcome="notApplicable" />
            <Suspense>
              <Markdown text={exempt.reasoning} />
            </Suspense>
          </>
        )}
        {reply && (
          <p className={styles.hint}>
            {costText(reply.costUsd)}
            {trial.data?.asked !== asked && ' It is of the draft, or the record, before.'}
          </p>
        )}
      </div>
      {trial.error && <Problem error={trial.error} />}
    </div>
  );
}

const costText = (dollars: number): string =>
  dollars === 0
    ? 'It cost nothing.'
    : `It cost ${formatDollars(dollars)}; ${previewRecords} records would cost about ${formatDollars(dollars * previewRecords)}.`;
