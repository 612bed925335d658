import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { urlOf } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { NameChoice } from '../../parts/name-choice/name-choice.tsx';
import type { PayloadView } from '../../parts/payload/payload.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { formatCount } from '../../text/format.ts';
import type { Draft } from './draft.ts';
import styles from './metric.module.css';
import type { PayloadField } from './names.ts';
import { RenderedPrompt } from './rendered-prompt.tsx';
import { Trial } from './trial.tsx';
import { TypedSample } from './typed-sample.tsx';
import type { Check } from './use-check.ts';
import { recordNamesMax } from './use-record-names.ts';
import type { Sample, SampleSearch } from './use-sample.ts';

/** The reader of payloads is large, and the other tabs of a metric do without it. */
const Payload = lazy(async () => ({
  default: (await import('../../parts/payload/payload.tsx')).Payload,
}));

interface SamplePaneProps {
  projectId: string;
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  check: Check;
  sample: Sample;
  search: SampleSearch;
  setSearch: (changes: SampleSearch) => void;
  isScoredHere: boolean;
}

/** A real record, the prompt that it makes, and its score by the draft. */
export function SamplePane(props: SamplePaneProps) {
  const { projectId, draft, check, sample, search, setSearch, isScoredHere } = props;
  const { runId, recordId } = sample;
  const hasPrompt = draft.scorer === 'judge';
  const view = hasPrompt ? (search.view ?? 'prompt') : 'record';
  if (!sample.isLoading && !sample.error && sample.typed)
    return <TypedSample {...props} typed={sample.typed} />;
  return (
    <section className={styles.pane} aria-label="Record">
      <div className={styles.paneHead}>
        <h2>On a real record</h2>
        <NameChoice
          projectId={projectId}
          label="Run"
          kind="run"
          value={runId}
          choose={(run) => setSearch({ run, record: undefined })}
        />
      </div>
      {sample.error && <Problem error={sample.error} retry={sample.retry} />}
      {recordId && (
        <>
          <Steps
            projectId={projectId}
            sample={sample}
            recordId={recordId}
            show={(record) => setSearch({ record })}
          />
          {isScoredHere && runId && (
            <Trial
              projectId={projectId}
              draft={draft}
              on={{ runId, recordId }}
              isFaulty={check.isFaulty}
            />
          )}
          {hasPrompt && (
            <Tabs
              label="What is shown"
              tabs={[
                { text: 'Prompt', search: { view: undefined }, isCurrent: view === 'prompt' },
                { text: 'Record', search: { view: 'record' }, isCurrent: view === 'record' },
              ]}
            />
          )}
          {view === 'prompt' ? (
            <RenderedPrompt check={check} />
          ) : (
            <Suspense>
              <RecordPayloads key={recordId} recordId={recordId} {...props} />
            </Suspense>
          )}
        </>
      )}
    </section>
  );
}

/** Leads through the first records of the run. */
function Steps({
  projectId,
  sample: { recordIds, nameOf },
  recordId,
  show,
}: {
  projectId: string;
  sample: Sample;
  recordId: string;
  show: (recordId: string) => void;
}) {
  const index = recordIds.indexOf(recordId);
  const stepTo = (to: number) => ({
    disabled: recordIds[to] === undefined,
    onClick: () => show(recordIds[to]!),
  });
  return (
    <p className={styles.steps}>
      <Button kind="quiet" aria-label="Record before" {...stepTo(index < 0 ? -1 : index - 1)}>
        ←
      </Button>
      <Button kind="quiet" aria-label="Record after" {...stepTo(index + 1)}>
        →
      </Button>
      <Link
        to="/projects/$projectId/records/$recordId"
        params={{ projectId, recordId }}
        className={styles.recordName}
      >
        {nameOf(recordId)}
      </Link>
      {index >= 0 && (
        <span className={styles.hint}>
          {formatCount(index + 1)} of {recordIds.length === recordNamesMax ? 'the first ' : ''}
          {formatCount(recordIds.length)}
        </span>
      )}
    </p>
  );
}

const titles: [field: PayloadField, title: string][] = [
  ['outputs', 'Outputs'],
  ['expected', 'Expected'],
  ['inputs', 'Inputs'],
];

/** The record itself. The values that a rule reads can be picked in it. */
function RecordPayloads({ recordId, draft, change }: SamplePaneProps & { recordId: string }) {
  const optionOf = (field: PayloadField) =>
    field === 'outputs' ? 'output' : field === 'expected' ? 'expected' : undefined;
  const pickOf = (field: PayloadField) => {
    const option = optionOf(field);
    return draft.scorer === 'builtin' && option
      ? {
          text: `Use as ${option}`,
          take: (pointer: string) => change({ options: { ...draft.options, [option]: pointer } }),
        }
      : undefined;
  };
  const [view, setView] = useState<PayloadView>(draft.scorer === 'builtin' ? 'json' : 'reading');
  return titles.map(([field, title]) => (
    <Payload
      key={field}
      title={title}
      url={urlOf('/records/:recordId/payloads/:field', { params: { recordId, field } })}
      view={view}
      setView={setView}
      pick={pickOf(field)}
    />
  ));
}
