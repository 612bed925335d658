import type { Identity } from '@assay/contracts/define';
import { type Issue, invalid, notFound } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import {
  type ExportedPart,
  type LineToWrite,
  lineFormat,
  lineSchemas,
  sweptAway,
} from '@assay/contracts/project-file';
import { createLineWriter, linesReply } from '@assay/runtime/http/lines';
import { createLineReader } from '@assay/runtime/uploads/line-reader';
import type { Store, StoredTestset } from '../store.ts';
import { describeSchema } from './schema.ts';

const { project, testset } = lineSchemas;
const write = createLineWriter({ project, testset });
const read = createLineReader({ schemas: { testset }, ...lineFormat });

/** Hands out projects with their testsets, and takes testsets of one that is being imported. */
export function createProjectPart({
  store,
  schemas,
}: {
  store: Store;
  schemas: { check: (schemaText: string) => Promise<Issue[]> };
}) {
  async function* projectOf(
    { organizationId }: Identity,
    id: string,
  ): AsyncGenerator<LineToWrite<'project'>> {
    const project = await store.findProject(organizationId, id);
    if (!project) throw notFound('project', id);
    yield { kind: 'project', ...project };
  }

  async function* testsetsOf(
    { organizationId }: Identity,
    projectId: string,
  ): AsyncGenerator<LineToWrite<'testset'>> {
    for await (const testset of store.imports.listAll(organizationId, projectId)) {
      const { id, name, description, schemaText, fieldMapping, tagsField, version, baselineRunId } =
        testset;
      const jsonSchema = new JsonText(Buffer.from(schemaText));
      yield {
        kind: 'testset',
        id,
        name,
        description,
        jsonSchema,
        fieldMapping,
        ...(tagsField === undefined ? {} : { tagsField }),
        version,
        baselineRunId,
      };
    }
  }

  return {
    async exportPart(identity: Identity, { kind, of: projectId }: ExportedPart) {
      const lines =
        kind === 'project'
          ? write(projectOf(identity, projectId))
          : write(testsetsOf(identity, projectId));
      return linesReply(lines);
    },

    async restorePart(
      { organizationId }: Identity,
      projectId: string,
      stream: AsyncIterable<Uint8Array>,
    ) {
      const testsets: StoredTestset[] = [];
      for await (const { kind: _kind, jsonSchema, ...testset } of read(stream)) {
        const schema = describeSchema(jsonSchema);
        const problems = await schemas.check(schema.schemaText);
        if (problems.length > 0)
          throw invalid(
            problems.map(({ path, message }) => ({ path: `/jsonSchema${path}`, message })),
          );
        testsets.push({ ...testset, projectId, ...schema });
      }
      const isUnderWay = await store.transaction(() =>
        store.imports.addTestsets(organizationId, projectId, testsets),
      );
      if (!isUnderWay) throw sweptAway();
      return { lines: testsets.length };
    },
  };
}
