import type { Identity } from '@assay/contracts/define';
import type { Store } from '../store.ts';
import type { ReadSome } from './read-some.ts';
import { createWhereMatcher } from './where.ts';

/** Ids in one reply, which a message of NATS has to hold. */
const idsMax = 10_000;

/** Which testcases are meant, and where their page begins and ends. */
export interface Part {
  where?: string | undefined;
  keys?: string[] | undefined;
  after?: string | undefined;
  before?: string | undefined;
}

/** The testcases of a part of a testset: by their data, by their keys, or all. */
export function createPart({ store, readSome }: { store: Store; readSome: ReadSome }) {
  async function matching(
    organizationId: string,
    testsetId: string,
    { where, ids, after }: { where: string; ids: string[] | undefined; after: string | undefined },
  ): Promise<{ ids: string[]; next: string | null }> {
    const hasValues = createWhereMatcher(where);
    const found: string[] = [];
    let end: string | null = null;
    for await (const { items, next } of readSome(organizationId, testsetId, {
      matches: ({ jsonData }) => hasValues(jsonData),
      ids,
      after,
    })) {
      for (const { id } of items) found.push(id);
      end = next;
    }
    return { ids: found, next: end };
  }

  return {
    async part(
      { organizationId }: Identity,
      testsetId: string,
      { where, keys, after, before }: Part,
    ) {
      const known = keys && (await store.testcasesOfKeys(organizationId, testsetId, keys));
      const ids = known && [...known.values()];
      const page =
        where === undefined
          ? await store.listIds(organizationId, testsetId, { ids, after, limit: idsMax })
          : await matching(organizationId, testsetId, { where, ids, after });
      const isLate = (id: string) => before !== undefined && id >= before;
      return {
        ids: page.ids.filter((id) => !isLate(id)),
        next: page.next !== null && isLate(page.next) ? null : page.next,
        unknownKeys: keys && known ? keys.filter((key) => !known.has(key)) : [],
      };
    },
  };
}
