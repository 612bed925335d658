import type { ItemOf } from '@assay/client/operations';
import { request } from '../../api/request.ts';
import { useTextSearch } from '../../parts/search/use-text-search.ts';

type RecordItem = ItemOf<'/runs/:runId/records'>;

/** The records of a run that have a text. */
export const useRecordSearch = (
  runId: string,
  { text, preview, fields }: { text: string; preview: number; fields: string[] },
) =>
  useTextSearch({
    text,
    queryKey: ['/runs/:runId/records/search', runId, text, preview, fields],
    readPage: async (body, signal) => {
      const { data, ...page } = await request('POST', '/runs/:runId/records/search', {
        params: { runId },
        query: { preview, fields },
        body,
        signal,
      });
      return { ...page, data: data as RecordItem[] };
    },
  });
