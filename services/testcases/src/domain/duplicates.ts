import { createHash } from 'node:crypto';
import type { Identity } from '@assay/contracts/define';
import type { JsonText } from '@assay/contracts/payload';
import type { PreviewRequest } from '@assay/contracts/preview';
import {
  duplicateGroupsMax,
  duplicatesReadMax,
  groupTestcasesMax,
} from '@assay/contracts/testcases';
import { inSlices } from '@assay/runtime/concurrency/event-loop';
import { createFairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';
import { hashOfJson } from '@assay/runtime/json/hash';
import { withPreviews } from '@assay/runtime/json/preview';
import { pageBytesMax } from '@assay/runtime/mongo/within-bytes';
import type { Store, StoredTestcase } from '../store.ts';
import type { Definition } from './definitions.ts';
import { deriveRoles } from './derive.ts';

/** Inputs up to this size are compared as JSON, since to build larger ones would hold the event loop. */
const comparedBytesMax = 64 * 1024;
/** Searches at once: each remembers a hash of every testcase. */
const searchesMax = 2;

/** Testcases with the same inputs: how many, and the oldest of them. */
interface Group {
  count: number;
  ids: string[];
}

interface Dependencies {
  store: Pick<Store, 'readTestcases'>;
  definitionOf: (identity: Identity, testsetId: string) => Promise<Definition>;
}

/** Finds the testcases of a testset that have the same inputs. */
export function createDuplicates({ store, definitionOf }: Dependencies) {
  const withPermit = createFairSemaphore({ permits: searchesMax, permitsEach: 1 });

  async function search(organizationId: string, definition: Definition) {
    const byInputs = new Map<string, Group>();
    let [read, bytes, isComplete] = [0, 0, true];
    for await (const { id, jsonData } of inSlices(
      store.readTestcases(organizationId, definition.id),
    )) {
      if (read === duplicatesReadMax.testcases || bytes >= duplicatesReadMax.bytes) {
        isComplete = false;
        break;
      }
      read += 1;
      bytes += jsonData.length;
      const { inputs } = deriveRoles(jsonData, definition);
      if (inputs.bytes.length <= emptyBytes) continue;
      const hash = hashOfInputs(inputs);
      const group = byInputs.get(hash);
      if (!group) byInputs.set(hash, { count: 1, ids: [id] });
      else {
        group.count += 1;
        if (group.ids.length < groupTestcasesMax) group.ids.push(id);
      }
    }
    const groups = [...byInputs.values()].filter(({ count }) => count > 1);
    return { read, isComplete, groups };
  }

  /** Reads the testcases of the groups that are shown, as many as fit into a reply. */
  async function show(
    organizationId: string,
    definition: Definition,
    { groups, previews }: { groups: Group[]; previews: PreviewRequest | undefined },
  ) {
    const shown = [];
    let bytes = 0;
    for (const { count, ids } of groups) {
      const testcases: StoredTestcase[] = [];
      for await (const testcase of store.readTestcases(organizationId, definition.id, ids)) {
        testcases.push(testcase);
        bytes += testcase.jsonData.length;
      }
      const [first] = testcases;
      // Somebody may have deleted them meanwhile.
      if (!first) continue;
      const duplicates = [];
      for (const { id, key, jsonData } of testcases) {
        const { expected } = deriveRoles(jsonData, definition);
        const duplicate = { id, ...(key === undefined ? {} : { key }), expected };
        duplicates.push(await withPreviews(duplicate, ['expected'], previews));
      }
      const { inputs } = deriveRoles(first.jsonData, definition);
      const group = { inputs, count, testcases: duplicates };
      shown.push(await withPreviews(group, ['inputs'], previews));
      if (bytes >= pageBytesMax) break;
    }
    return shown;
  }

  return {
    async listDuplicates(
      identity: Identity,
      testsetId: string,
      { previews }: { previews: PreviewRequest | undefined },
    ) {
      const { organizationId } = identity;
      const definition = await definitionOf(identity, testsetId);
      return withPermit(organizationId, async () => {
        const { groups, ...seen } = await search(organizationId, definition);
        groups.sort((one, other) => other.count - one.count);
        return {
          ...seen,
          numGroups: groups.length,
          numDuplicates: groups.reduce((sum, { count }) => sum + count - 1, 0),
          groups: await show(organizationId, definition, {
            groups: groups.slice(0, duplicateGroupsMax),
            previews,
          }),
        };
      });
    },
  };
}

/** The size of `{}`. */
const emptyBytes = 2;

const hashOfInputs = ({ bytes }: JsonText): string =>
  bytes.length <= comparedBytesMax
    ? hashOfJson(Buffer.from(bytes).toString())
    : createHash('sha256').update(bytes).digest('base64url');
