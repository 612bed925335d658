import type { Identity } from '@assay/contracts/define';
import { conflict, invalid, invalidAt } from '@assay/contracts/failure';
import { memberText, withMember } from '@assay/json/members';
import { parseJson } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import type { Change, Store } from '../store.ts';
import type { Definition } from './definitions.ts';
import { entryBytesMax } from './entry.ts';

/** Testcases that one transaction tags: each may have some megabytes. */
const batchItemsMax = 25;

interface Dependencies {
  store: Store;
  definitionOf: (identity: Identity, testsetId: string) => Promise<Definition>;
  changeOf: (identity: Identity) => Change;
}

export interface TagChange {
  add: string[];
  remove: string[];
}

/** Tags many testcases at once, in the field that their testset names. */
export function createTagging({ store, definitionOf, changeOf }: Dependencies) {
  return {
    /** A request that is cut in the middle has tagged some; its repeat tags the others. */
    async tagTestcases(
      identity: Identity,
      testsetId: string,
      { ids, ...tags }: TagChange & { ids: string[] },
    ) {
      const { tagsField } = await definitionOf(identity, testsetId);
      if (tagsField === undefined)
        throw conflict('The testset has no field of tags: name one as its tagsField.');
      const both = tags.add.flatMap((tag, index) =>
        tags.remove.includes(tag)
          ? [{ path: `/add/${index}`, message: 'must not be in remove, too' }]
          : [],
      );
      if (both.length > 0) throw invalid(both);
      let changed = 0;
      for (let from = 0; from < ids.length; from += batchItemsMax)
        changed += await store.rewriteTestcases(
          identity.organizationId,
          { testsetId, ids: ids.slice(from, from + batchItemsMax) },
          (jsonData) => withTags(jsonData, tagsField, tags),
          changeOf(identity),
        );
      return { changed };
    },
  };
}

/**
 * Returns the data with other tags, and all else as it is written; undefined where they are the
 * same.
 * @throws VALIDATION_ERROR
 */
function withTags(
  jsonData: Buffer,
  tagsField: string,
  { add, remove }: TagChange,
): Uint8Array | undefined {
  const json = jsonData.toString();
  const before = parseJson(memberText(json, tagsField) ?? '[]');
  if (typeof before !== 'string' && !Array.isArray(before)) return undefined;
  const tags: unknown[] = [before].flat();
  const after = [...tags.filter((tag) => !remove.includes(tag as string))];
  for (const tag of add) if (!after.includes(tag)) after.push(tag);
  if (after.length === tags.length && after.every((tag, index) => tag === tags[index]))
    return undefined;
  const data = Buffer.from(withMember(json, tagsField, writeJson(after)));
  // Its data could not be sent any more.
  if (data.length > Math.max(jsonData.length, entryBytesMax))
    throw invalidAt('/add', `would make a testcase larger than ${entryBytesMax} bytes`);
  return data;
}
