import { parseByValue } from '@assay/json/parse';
import { useQueries } from '@tanstack/react-query';
import { useReading } from '../../api/query.ts';
import { send, urlOf } from '../../api/request.ts';
import { isPreview, wholeOf } from '../../text/json.ts';
import { payloadFields, type RecordValues } from './names.ts';
import { useRecordNames } from './use-record-names.ts';
import { useTypedRecord } from './use-typed-record.ts';

/** Characters of each payload that come at once. */
const previewCharacters = 2000;
/** A payload is read to find names in it up to this size. */
const readBytesMax = 2 * 1024 * 1024;

/** The sample that is chosen: in the URL, so that it can be shared. */
export interface SampleSearch {
  run?: string | undefined;
  record?: string | undefined;
  view?: 'prompt' | 'record' | undefined;
}

/** The run and record on which a metric is tried: the chosen ones, else the first that suit. */
export function useSample({
  projectId,
  metricId,
  run: chosenRun,
  record: chosenRecord,
  outputName,
}: {
  projectId: string;
  metricId: string | undefined;
  run: string | undefined;
  record: string | undefined;
  /** Of the outputs of a record that is typed. */
  outputName: string;
}) {
  const runs = useReading('/projects/:projectId/runs', {
    params: { projectId },
    query: { limit: 100 },
  });
  const all = (runs.data?.data ?? []).filter(({ numRecords }) => numRecords > 0);
  const own = all.find(({ metricIds }) => metricIds.some((id) => id === metricId));
  const listed = all.find(({ id }) => id === chosenRun);
  const older = useReading('/runs/:runId', {
    params: { runId: chosenRun ?? '' },
    isEnabled: chosenRun !== undefined && !runs.isPending && !listed,
  });
  const run = listed ?? (chosenRun === undefined ? (own ?? all[0]) : older.data);
  const runId = run?.id ?? chosenRun;
  const records = useRecordNames(runId);
  const recordId = chosenRecord ?? records.ids[0];
  const { values, isReading } = useRecordValues(recordId);
  const hasRun = runs.isPending || runId !== undefined;
  const testset = useTestset({ projectId, testsetId: run?.testsetId, hasRun });
  const typed = useTypedRecord(hasRun ? undefined : testset, outputName);
  return {
    run,
    runId,
    /** The run has scores of the metric, or will have some. */
    isScored: metricId !== undefined && (run?.metricIds.includes(metricId) ?? false),
    recordIds: records.ids,
    nameOf: records.nameOf,
    recordId,
    values: hasRun ? values : typed.values,
    isReading: isReading || typed.isReading,
    testset,
    /** In place of a record, before there is a run. */
    typed: hasRun ? undefined : typed,
    isLoading: runs.isPending || records.isPending,
    error: runs.error ?? records.error,
    retry: () => {
      void runs.refetch();
      records.retry();
    },
  };
}

export type Sample = ReturnType<typeof useSample>;

function useRecordValues(recordId: string | undefined): {
  values: RecordValues;
  isReading: boolean;
} {
  const record = useReading('/records/:recordId', {
    params: { recordId: recordId ?? '' },
    query: { preview: previewCharacters },
    isEnabled: recordId !== undefined,
  });
  const cut = payloadFields.filter((field) => {
    const payload = record.data?.[field];
    return payload && isPreview(payload) && payload.isCut && payload.bytes <= readBytesMax;
  });
  const whole = useQueries({
    queries: cut.map((field) => ({
      queryKey: ['/records/:recordId/payloads/:field', recordId, field],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const params = { recordId: recordId!, field };
        const response = await send(urlOf('/records/:recordId/payloads/:field', { params }), {
          signal,
        });
        return parseByValue(await response.text()) as Record<string, unknown>;
      },
    })),
  });
  const { data } = record;
  if (!data) return { values: {}, isReading: recordId !== undefined && record.isPending };
  const values = Object.fromEntries(
    payloadFields.map((field) => [
      field,
      cut.includes(field) ? whole[cut.indexOf(field)]?.data : wholeOf(data[field]),
    ]),
  );
  return { values, isReading: whole.some(({ isPending }) => isPending) };
}

/** The testset of the run; before there is a run, the first of the project. */
function useTestset({
  projectId,
  testsetId,
  hasRun,
}: {
  projectId: string;
  testsetId: string | null | undefined;
  hasRun: boolean;
}) {
  const ofRun = useReading('/testsets/:testsetId', {
    params: { testsetId: testsetId ?? '' },
    isEnabled: typeof testsetId === 'string',
  });
  const first = useReading('/projects/:projectId/testsets', {
    params: { projectId },
    query: { limit: 1 },
    isEnabled: !hasRun,
  });
  return ofRun.data ?? first.data?.data[0];
}
