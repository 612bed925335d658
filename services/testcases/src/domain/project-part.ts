import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import {
  type ExportedPart,
  type LineToWrite,
  lineFormat,
  lineSchemas,
} from '@assay/contracts/project-file';
import { createLineWriter, linesReply } from '@assay/runtime/http/lines';
import { createLineReader } from '@assay/runtime/uploads/line-reader';
import type { Change, Store, StoredTestcase } from '../store.ts';

const { testcase } = lineSchemas;
const write = createLineWriter({ testcase });
const read = createLineReader({ schemas: { testcase }, ...lineFormat });

/** Hands out the testcases of a testset, and takes those of one that is being imported. */
export function createTestcasePart({
  store,
  changeOf,
}: {
  store: Store;
  changeOf: (identity: Identity) => Change;
}) {
  async function* testcasesOf(
    { organizationId }: Identity,
    testsetId: string,
  ): AsyncGenerator<LineToWrite<'testcase'>> {
    for await (const { jsonData, ...testcase } of store.readTestcases(organizationId, testsetId))
      yield { kind: 'testcase', ...testcase, jsonData: new JsonText(jsonData) };
  }

  return {
    async exportPart(identity: Identity, { of: testsetId }: ExportedPart) {
      return linesReply(write(testcasesOf(identity, testsetId)));
    },

    /** Their testsets are hidden, and so are they. */
    async restorePart(identity: Identity, stream: AsyncIterable<Uint8Array>) {
      const { organizationId } = identity;
      const byTestset = new Map<string, StoredTestcase[]>();
      let lines = 0;
      for await (const { kind: _kind, jsonData, ...testcase } of read(stream)) {
        const entries = byTestset.get(testcase.testsetId) ?? [];
        entries.push({ ...testcase, jsonData: jsonData.bytes });
        byTestset.set(testcase.testsetId, entries);
        lines += 1;
      }
      for (const [testsetId, entries] of byTestset) {
        const written = await store.createMissingEntries(
          organizationId,
          testsetId,
          entries,
          changeOf(identity),
        );
        const taken = written?.findIndex(({ outcome }) => outcome === 'taken') ?? -1;
        if (taken >= 0)
          throw invalidAt(
            '/key',
            `"${entries[taken]!.key}" is the key of an earlier testcase, too`,
          );
        if (!written) throw invalidAt('/id', 'is the id of an earlier testcase, too');
      }
      return { lines };
    },
  };
}
