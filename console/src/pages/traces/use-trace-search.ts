import type { QueryOf } from '@assay/client/operations';
import { request } from '../../api/request.ts';
import { useTextSearch } from '../../parts/search/use-text-search.ts';
import type { TraceItem } from './use-new-traces.ts';

/** The traces of a project that pass the filters and have a text. */
export const useTraceSearch = (
  projectId: string,
  { text, query }: { text: string; query: QueryOf<'POST', '/projects/:projectId/traces/search'> },
) =>
  useTextSearch({
    text,
    queryKey: ['/projects/:projectId/traces/search', projectId, text, query],
    readPage: async (body, signal) => {
      const { data, ...page } = await request('POST', '/projects/:projectId/traces/search', {
        params: { projectId },
        query,
        body,
        signal,
      });
      return { ...page, data: data as TraceItem[] };
    },
  });
