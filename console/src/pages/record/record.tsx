import { getRouteApi } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { urlOf } from '../../api/request.ts';
import { CopyLink } from '../../parts/copy.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Payload, type PayloadView } from '../../parts/payload/payload.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { inShort, isEmptyPayload } from '../../text/json.ts';
import { Annotate } from './annotate.tsx';
import { Annotations, AnnotationsFact } from './annotations.tsx';
import { Difference } from './expected-difference.tsx';
import styles from './record.module.css';
import { RecordPeople } from './record-people.tsx';
import { RecordPlace } from './record-place.tsx';
import { RecordSteps } from './record-steps.tsx';
import { RecordTraces } from './record-traces.tsx';
import { Scores } from './scores.tsx';
import { SessionFiles } from './session-files.tsx';
import { SystemFailure } from './system-failure.tsx';
import { Took } from './took.tsx';
import { useAnnotations } from './use-annotations.tsx';
import { useWalk } from './walk.ts';

const route = getRouteApi('/frame/projects/$projectId/records/$recordId');

/** Characters of the payloads that are read with the record: its title is made of its inputs. */
const titlePreview = 100;
const titleMax = 80;

/** Each payload by its name, in the order in which a person reads them. */
const fields = [
  { field: 'inputs', title: 'Inputs' },
  { field: 'outputs', title: 'Outputs' },
  { field: 'expected', title: 'Expected' },
] as const;

/** One record: inputs, outputs, expected, and every score with its reason. */
export function Record() {
  const { projectId, recordId } = route.useParams();
  const { view = 'reading' } = route.useSearch();
  const navigate = route.useNavigate();
  // The payloads come by themselves, as bytes.
  const record = useReading('/records/:recordId', {
    params: { recordId },
    query: { preview: titlePreview },
  });
  const summary = useReading('/runs/:runId/summary', {
    params: { runId: record.data?.runId ?? '' },
    isEnabled: record.data !== undefined,
  });
  const walk = useWalk({ projectId, recordId });
  const { passagesOf, texts, ...annotations } = useAnnotations(recordId);
  const runId = record.data?.runId;
  useShortcuts({
    ...(runId === undefined
      ? {}
      : {
          up: () =>
            void navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId, runId } }),
        }),
  });
  const setView = (chosen: PayloadView) =>
    void navigate({
      search: (before) => ({ ...before, view: chosen === 'reading' ? undefined : chosen }),
      replace: true,
    });
  const urlOfField = (field: string) =>
    urlOf('/records/:recordId/payloads/:field', { params: { recordId, field } });
  if (!record.data)
    return (
      <Page title="Record">
        {record.error && <Problem error={record.error} retry={() => void record.refetch()} />}
      </Page>
    );
  const { testcaseId, sessionId, error, systemAttempts, traceIds = [] } = record.data;
  const hasExpected = !isEmptyPayload(record.data.expected);
  const shown = fields.filter(({ field }) => field !== 'expected' || hasExpected);
  return (
    <Page
      title={titleOf(record.data.inputs)}
      kind="Record"
      facts={<AnnotationsFact count={annotations.annotations.length} />}
      above={
        <RecordPlace
          projectId={projectId}
          runId={record.data.runId}
          recordId={recordId}
          testcaseId={testcaseId}
        />
      }
      actions={
        <>
          <CopyLink />
          <RecordSteps walk={walk} />
        </>
      }
    >
      <div className={styles.record}>
        <div className={styles.payloads} data-beside={hasExpected || undefined}>
          {error && <SystemFailure error={error} attempts={systemAttempts} />}
          {shown.map(({ field, title }) => (
            <Payload
              key={field}
              title={title}
              url={urlOfField(field)}
              view={view}
              setView={setView}
              passages={passagesOf[field]}
              {...(field === 'outputs'
                ? {
                    difference: (bytes: Uint8Array) => (
                      <Difference outputs={bytes} expectedUrl={urlOfField('expected')} />
                    ),
                  }
                : {})}
            />
          ))}
          {!hasExpected && <p className={styles.nothing}>Nothing was expected: {'{}'}</p>}
        </div>
        <aside className={styles.side}>
          {summary.data ? (
            <Scores record={record.data} metrics={summary.data.metrics} />
          ) : (
            summary.error && <Problem error={summary.error} retry={() => void summary.refetch()} />
          )}
          {/* What is under the scores comes with them: it would move under a hand that presses it. */}
          {!summary.isPending && (
            <>
              <Took metrics={record.data.metrics} metadata={record.data.metadata} />
              {traceIds.length > 0 && <RecordTraces projectId={projectId} traceIds={traceIds} />}
              <RecordPeople recordId={recordId} />
              <Annotations projectId={projectId} recordId={recordId} {...annotations} />
              {sessionId && <SessionFiles key={sessionId} sessionId={sessionId} />}
            </>
          )}
        </aside>
      </div>
      <Annotate key={recordId} recordId={recordId} texts={texts} />
    </Page>
  );
}

/** What the record was asked. */
function titleOf(inputs: Record<string, unknown>): string {
  const text = inShort(inputs);
  return text.length > titleMax ? `${text.slice(0, titleMax)} …` : text;
}
