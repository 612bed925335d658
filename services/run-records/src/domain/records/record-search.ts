import type { Identity } from '@assay/contracts/define';
import type { PageRequest } from '@assay/contracts/page';
import type { PreviewRequest } from '@assay/contracts/preview';
import type { PayloadField } from '../../store/payloads.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from '../runs/runs.ts';
import { shown, withStates } from './records.ts';

const allFields: PayloadField[] = ['inputs', 'expected', 'outputs'];

/** Searches the payloads of a run for a text (contract section 4). */
export function createRecordSearch({ store, runs }: Pick<Dependencies, 'store'> & { runs: Runs }) {
  return {
    /** A page goes on at a record, and counts on from the records that were searched before it. */
    async search(
      identity: Identity,
      runId: string,
      {
        text,
        fields = allFields,
        previews,
        page,
      }: {
        text: string;
        fields?: PayloadField[] | undefined;
        previews: PreviewRequest | undefined;
        page: PageRequest;
      },
    ) {
      const { organizationId } = identity;
      const run = await runs.shownRunOf(identity, runId);
      if (run.expired) return { items: [], next: null, searched: 0, total: 0 };
      const [after, before = '0'] = page.after?.split('/') ?? [];
      const { hits, ...progress } = await store.recordSearch.search(organizationId, {
        runId,
        text,
        fields,
        after,
        limit: page.limit,
      });
      const { found, remaining } = await store.records.findSome(organizationId, runId, {
        ids: hits.map(({ id }) => id),
        areWhole: false,
      });
      // Of large records the first ones are a page: the search goes on after the last of them.
      const last = remaining.length > 0 ? hits.at(-1 - remaining.length)! : undefined;
      const lastId = last?.id ?? progress.lastId;
      const searched = Number(before) + (last?.searched ?? progress.searched);
      const counts = await store.runs.countsOf(organizationId, [runId]);
      const items = [];
      for (const record of found) items.push(await shown(withStates(run, record), previews));
      return {
        items,
        next: last || progress.hasMore ? `${lastId}/${searched}` : null,
        searched,
        total: Math.max(searched, counts.get(runId)!.records),
      };
    },
  };
}
