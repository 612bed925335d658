import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import {
  type AuthorMove,
  type ExportedPart,
  type Line,
  type LineToWrite,
  lineFormat,
  lineSchemas,
} from '@assay/contracts/project-file';
import { testcaseAnnotationsMax } from '@assay/contracts/testcases';
import { createLineWriter, linesReply } from '@assay/runtime/http/lines';
import { createLineReader } from '@assay/runtime/uploads/line-reader';
import type { StoredAnnotation } from '../store/annotations.ts';
import type { Change, Store, StoredTestcase } from '../store.ts';

const { testcase, testcaseAnnotation } = lineSchemas;
const write = createLineWriter({ testcase, testcaseAnnotation });
const read = createLineReader({ schemas: { testcase, testcaseAnnotation }, ...lineFormat });

/** Hands out the testcases of a testset, and takes those of one that is being imported. */
export function createTestcasePart({
  store,
  changeOf,
}: {
  store: Store;
  changeOf: (identity: Identity) => Change;
}) {
  /** Each testcase, and its annotations after it. */
  async function* testcasesOf(
    { organizationId }: Identity,
    testsetId: string,
  ): AsyncGenerator<LineToWrite<'testcase' | 'testcaseAnnotation'>> {
    for await (const batch of store.readTestcaseBatches(organizationId, testsetId)) {
      const ids = batch.map(({ id }) => id);
      const annotated = new Set(await store.annotations.annotatedOf(organizationId, ids));
      for (const { jsonData, ...testcase } of batch) {
        yield { kind: 'testcase', ...testcase, jsonData: new JsonText(jsonData) };
        if (!annotated.has(testcase.id)) continue;
        for (const annotation of await store.annotations.list(
          organizationId,
          testcase.id,
          testcaseAnnotationsMax,
        ))
          yield lineOf(annotation);
      }
    }
  }

  return {
    async exportPart(identity: Identity, { of: testsetId }: ExportedPart) {
      return linesReply(write(testcasesOf(identity, testsetId)));
    },

    /** Their testsets are hidden, and so are they. */
    async restorePart(identity: Identity, projectId: string, stream: AsyncIterable<Uint8Array>) {
      const { organizationId } = identity;
      const byTestset = new Map<string, StoredTestcase[]>();
      const annotations: StoredAnnotation[] = [];
      let lines = 0;
      for await (const line of read(stream)) {
        lines += 1;
        if (line.kind === 'testcaseAnnotation') {
          annotations.push(toAnnotation(projectId, line));
          continue;
        }
        const { kind: _kind, jsonData, ...testcase } = line;
        const entries = byTestset.get(testcase.testsetId) ?? [];
        entries.push({ ...testcase, jsonData: jsonData.bytes });
        byTestset.set(testcase.testsetId, entries);
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
      if (annotations.length > 0) await store.annotations.addMissing(organizationId, annotations);
      return { lines };
    },

    async moveAuthor({ organizationId }: Identity, move: AuthorMove) {
      await store.annotations.moveAuthor(organizationId, move);
      return { next: null };
    },
  };
}

const lineOf = ({
  projectId: _projectId,
  mentions: _mentions,
  editedAt,
  createdAt,
  ...annotation
}: StoredAnnotation): LineToWrite<'testcaseAnnotation'> => ({
  kind: 'testcaseAnnotation',
  ...annotation,
  ...(editedAt ? { editedAt: editedAt.toISOString() } : {}),
  createdAt: createdAt.toISOString(),
});

/** A comment that an import brought mentions nobody. */
const toAnnotation = (
  projectId: string,
  { kind: _kind, editedAt, createdAt, ...annotation }: Line<'testcaseAnnotation'>,
): StoredAnnotation => ({
  ...annotation,
  projectId,
  mentions: [],
  editedAt: editedAt === undefined ? null : new Date(editedAt),
  createdAt: new Date(createdAt),
});
