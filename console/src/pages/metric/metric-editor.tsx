import { lazy, Suspense, useState } from 'react';
import { type Draft, scoresDiffer } from './draft.ts';
import styles from './metric.module.css';
import { MetricForm } from './metric-form.tsx';
import { SamplePane } from './sample-pane.tsx';
import { SaveBar } from './save-bar.tsx';
import { useScoredRun } from './score-run.tsx';
import { ScorerPane } from './scorer-pane.tsx';
import { outputNameIn } from './typed-outputs.ts';
import { useCheck } from './use-check.ts';
import { useDraft } from './use-draft.ts';
import { usePreview } from './use-preview.ts';
import { type SampleSearch, useSample } from './use-sample.ts';

/** Loaded when somebody has asked for a preview. */
const Preview = lazy(async () => ({ default: (await import('./preview.tsx')).Preview }));

interface MetricEditorProps {
  projectId: string;
  /** Undefined for a metric that is not stored yet. */
  metricId: string | undefined;
  /** Under this name the browser keeps the draft. */
  draftName: string;
  saved: Draft;
  search: SampleSearch;
  setSearch: (changes: SampleSearch) => void;
}

/**
 * A metric while it is written: its fields, its prompt or rule, and the effect on a real record.
 * Nothing is stored before it is saved.
 */
export function MetricEditor({
  projectId,
  metricId,
  draftName,
  saved,
  search,
  setSearch,
}: MetricEditorProps) {
  const kept = useDraft(draftName, saved);
  const { draft, change, generation } = kept;
  const sample = useSample({
    projectId,
    metricId,
    run: search.run,
    record: search.record,
    outputName: outputNameIn(draft),
  });
  const check = useCheck({ projectId, metricId, draft, sample });
  const scoredRun = useScoredRun({
    isNew: metricId === undefined,
    draft,
    runId: search.run,
    sample,
  });
  const preview = usePreview({ projectId, metricId, saved, draft, sample });
  // A name that is missing is no fault before one tries to save.
  const [hasTried, setTried] = useState(false);
  const isScoredHere =
    draft.scorer === 'judge'
      ? draft.subject === 'record'
      : draft.scorer !== 'people' && draft.scorer !== 'program';
  const problemAt = (path: string) =>
    path === '/name' && draft.name === '' && hasTried
      ? 'Give it a name, by which it is found.'
      : check.problemAt(path);
  return (
    <div className={styles.whole}>
      <SaveBar
        projectId={projectId}
        metricId={metricId}
        kept={kept}
        isNewVersion={scoresDiffer(saved, draft)}
        check={check}
        preview={isScoredHere ? preview : undefined}
        scoredRun={scoredRun}
        onTry={() => setTried(true)}
      />
      <div className={styles.columns}>
        <MetricForm
          draft={draft}
          change={change}
          isStored={metricId !== undefined}
          savedScorer={saved.scorer}
          problemAt={problemAt}
          warningAt={check.warningAt}
        />
        <ScorerPane
          key={generation}
          projectId={projectId}
          metricId={metricId}
          draft={draft}
          change={change}
          check={check}
          sample={sample}
        />
        <SamplePane
          projectId={projectId}
          draft={draft}
          change={change}
          check={check}
          sample={sample}
          search={search}
          setSearch={setSearch}
          isScoredHere={isScoredHere}
        />
      </div>
      {(preview.shown || preview.error) && (
        <Suspense>
          <Preview projectId={projectId} preview={preview} nameOf={sample.nameOf} />
        </Suspense>
      )}
    </div>
  );
}
