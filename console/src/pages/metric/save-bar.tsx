import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { refresh, useReading } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { bodyOf } from './draft.ts';
import styles from './metric.module.css';
import { type ScoredRun, ScoreRun } from './score-run.tsx';
import type { Check } from './use-check.ts';
import type { useDraft } from './use-draft.ts';
import { type PreviewState, previewRecords } from './use-preview.ts';

/** The fields that show their own problems. */
const formPaths = [
  ...['/name', '/description', '/evalType', '/outputType', '/passingThreshold', '/guidelines'],
  ...['/min', '/max', '/lowerIsBetter'],
  ...['/evalModelName', '/temperature', '/votes', '/seed', '/annotators'],
  ...['/builtin/name', '/builtin/options'],
];

interface SaveBarProps {
  projectId: string;
  metricId: string | undefined;
  kept: ReturnType<typeof useDraft>;
  isNewVersion: boolean;
  check: Check;
  /** Undefined where the service makes no scores that it could preview. */
  preview: PreviewState | undefined;
  scoredRun: ScoredRun;
  /** Called when one tries to save. */
  onTry: () => void;
}

/** Preview first, then save: it says whether that makes a new version. */
export function SaveBar(props: SaveBarProps) {
  const { projectId, metricId, kept, isNewVersion, check, preview, scoredRun, onTry } = props;
  const navigate = useNavigate();
  const version = useVersionNumber(metricId);
  const [said, setSaid] = useState('');
  const save = useMutation({
    mutationFn: async () => {
      const body = bodyOf(kept.draft);
      return metricId === undefined
        ? request('POST', '/projects/:projectId/metrics', { params: { projectId }, body })
        : request('PATCH', '/metrics/:metricId', { params: { metricId }, body });
    },
    onSuccess: async ({ id }) => {
      setSaid(isNewVersion && version ? `Saved as version ${version + 1}.` : 'Saved.');
      await refresh([
        '/metrics/:metricId',
        '/metrics/:metricId/versions',
        '/projects/:projectId/metrics',
      ]);
      kept.forget();
      preview?.clear();
      if (metricId !== undefined) return;
      try {
        const runId = await scoredRun.score(id);
        if (runId === undefined)
          void navigate({
            to: '/projects/$projectId/metrics/$metricId',
            params: { projectId, metricId: id },
          });
        else
          void navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId, runId } });
      } catch (error) {
        // The metric is stored: a second try would make another one.
        setSaid(`The metric is saved. The run is not scored by it: ${(error as Error).message}`);
      }
    },
  });
  const isNew = metricId === undefined;
  const canSave = isNew || kept.isChanged;
  const isPreviewed = !preview?.isPossible || preview.isCurrent || !(isNew || isNewVersion);
  return (
    <section className={styles.bar} aria-label="Draft">
      <p role="status" className={styles.barText}>
        {kept.isChanged
          ? isNew || isNewVersion
            ? 'Not saved yet: the draft is kept in this browser.'
            : 'Not saved yet. Names make no new version.'
          : said}
      </p>
      {kept.isChanged && (
        <Button
          kind="quiet"
          onClick={() => {
            kept.discard();
            save.reset();
            setSaid('');
          }}
        >
          Discard
        </Button>
      )}
      <ScoreRun {...scoredRun} />
      {preview?.isPossible && (
        <Button
          kind={canSave && !isPreviewed ? 'main' : 'plain'}
          isBusy={preview.isRunning}
          disabled={check.isFaulty}
          onClick={preview.start}
        >
          {preview.isRunning ? 'Scoring …' : `Preview on ${previewRecords}`}
        </Button>
      )}
      <Button
        kind={isPreviewed ? 'main' : 'plain'}
        isBusy={save.isPending}
        disabled={!canSave}
        onClick={() => {
          onTry();
          if (kept.draft.name !== '') save.mutate();
        }}
      >
        {saveText({ isNew, isNewVersion, version, isPreviewed })}
      </Button>
      <div className={styles.barNotes}>
        {kept.isOutdated && kept.isChanged && (
          <p className={styles.warning}>
            ! The metric was saved elsewhere since you began this draft. Saving replaces that; see
            its{' '}
            <Link to="." search={{ tab: 'versions' }}>
              versions
            </Link>
            .
          </p>
        )}
        {kept.isChanged &&
          check.problemsBeside(formPaths).map(({ path, message }) => (
            <p key={path + message} className={styles.warning}>
              <code>{path}</code> {message}
            </p>
          ))}
        {check.error && <Problem error={check.error} retry={check.retry} />}
        {save.error && <Problem error={save.error} />}
      </div>
    </section>
  );
}

function saveText({
  isNew,
  isNewVersion,
  version,
  isPreviewed,
}: {
  isNew: boolean;
  isNewVersion: boolean;
  version: number | undefined;
  isPreviewed: boolean;
}): string {
  const ending = isPreviewed ? '' : ' without a preview';
  if (isNew) return `Create${ending}`;
  if (!isNewVersion) return 'Save';
  return `${version ? `Save as version ${version + 1}` : 'Save as a new version'}${ending}`;
}

/** How many versions there are; undefined where there are more than one page of them. */
function useVersionNumber(metricId: string | undefined): number | undefined {
  const { data } = useReading('/metrics/:metricId/versions', {
    params: { metricId: metricId ?? '' },
    query: { limit: 100 },
    isEnabled: metricId !== undefined,
  });
  return data && !data.hasMore ? data.data.length : undefined;
}
