import type { Identity } from '@assay/contracts/define';
import {
  type LinkedRecord,
  linkedRecordsMax,
  linkedRecordsOfPageMax,
} from '@assay/contracts/run-records';
import type { StoredHead } from '../store.ts';
import type { Dependencies } from './dependencies.ts';

type TraceNames = Pick<StoredHead, 'traceId' | 'linkIds'>;
interface WithRecords {
  records?: LinkedRecord[];
}

export type LinkedRecords = ReturnType<typeof createLinkedRecords>;

/**
 * Finds the records that name traces. Traces are read while run-records does not answer, too: it is
 * waited for as long as its contract says.
 */
export function createLinkedRecords({ runRecords }: Pick<Dependencies, 'runRecords'>) {
  return {
    /** The newest records of one trace, with their scores. */
    of: (identity: Identity, head: TraceNames): Promise<WithRecords> =>
      runRecords
        .readLinkedRecords(identity, {
          linkIds: namesOf(head),
          limit: linkedRecordsMax,
          withScores: true,
        })
        .catch(() => ({})),

    /** The newest records of each of these traces, in their order. */
    async ofEach(identity: Identity, heads: TraceNames[]): Promise<WithRecords[]> {
      if (heads.length === 0) return [];
      const asked = {
        linkIds: [...new Set(heads.flatMap(namesOf))],
        limit: linkedRecordsOfPageMax,
      };
      const found = await runRecords
        .readLinkedRecords(identity, { ...asked, withScores: false })
        .catch(() => undefined);
      if (!found) return heads.map(() => ({}));
      return heads.map((head) => {
        const names = new Set(namesOf(head));
        const own = found.records.filter(({ otelLinkId }) => names.has(otelLinkId));
        return { records: own.slice(0, linkedRecordsMax) };
      });
    },
  };
}

const namesOf = ({ traceId, linkIds }: TraceNames): string[] => [...new Set([traceId, ...linkIds])];
