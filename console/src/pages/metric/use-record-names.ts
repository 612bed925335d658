import { useReading } from '../../api/query.ts';
import { inShort } from '../../text/json.ts';

/** The records of a run that are known by name; a person looks at no more of them. */
export const recordNamesMax = 100;
/** Characters of a record's inputs by which a person knows it. */
const nameCharacters = 120;

/** The first records of a run, each named by its inputs. */
export function useRecordNames(runId: string | undefined) {
  const records = useReading('/runs/:runId/records', {
    params: { runId: runId ?? '' },
    query: { limit: recordNamesMax, preview: nameCharacters },
    isEnabled: runId !== undefined,
  });
  const all = records.data?.data ?? [];
  return {
    ids: all.map(({ id }) => id),
    nameOf: (recordId: string): string => {
      const record = all.find(({ id }) => id === recordId);
      return (record && inShort(record.inputs)) || `Record …${recordId.slice(-6)}`;
    },
    isPending: runId !== undefined && records.isPending,
    error: records.error,
    retry: () => void records.refetch(),
  };
}
