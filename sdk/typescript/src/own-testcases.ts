import type { Client } from '@assay/client/client';
import type { Project, Testset } from '@assay/client/named';
import type { TestcaseEntity, TestsetEntity } from '@assay/import/entity';
import { ImportFailure } from '@assay/import/failure';
import { createTestcases } from '@assay/import/sending/testcases';
import { isObject } from '@assay/json/value';
import { createOnce } from './create-once.ts';
import type { ServerOptions } from './evaluation.ts';
import { AssayError } from './failure.ts';
import type { GivenRows } from './given-rows.ts';
import type { Note } from './notes.ts';
import { type TestcaseRows, testcasesOfRows } from './testcase-rows.ts';
import { chooseTestcases } from './testcases.ts';

type Choice = Pick<ServerOptions, 'limit' | 'sample' | 'seed' | 'where' | 'keys'>;

/** The testcases that an evaluation brings, before anything of them is stored. */
export interface OwnTestcases extends TestcaseRows {
  notes: Note[];
}

/** The same, stored in their testset. */
export interface StoredOwnTestcases {
  testset: Testset;
  /** Those of the testset that the run is over; empty where these are all of it. */
  choice: Choice;
  notes: Note[];
}

/** @throws AssayError for rows that are no testcases of this testset, or have one key. */
export function planOwnTestcases(
  { rows, notes }: GivenRows,
  testset: Testset | undefined,
  { key, keys }: Pick<ServerOptions, 'key' | 'keys'>,
): OwnTestcases {
  const planned = testcasesOfRows(rows, {
    ...(testset ? { testset } : {}),
    ...(key === undefined ? {} : { key }),
  });
  const known = new Set(planned.testcases.map((testcase) => testcase.key));
  const unknown = keys?.find((each) => !known.has(each));
  if (unknown !== undefined)
    throw new AssayError(
      `No row of \`testcases\` has the key ${JSON.stringify(unknown)}, which \`keys\` names.`,
    );
  return { ...planned, notes: [...notes, ...planned.renamed.map((text) => ({ text }))] };
}

/** Makes the testset, or brings it up to the testcases by their keys. */
export async function storeOwnTestcases({
  client,
  project,
  testset: known,
  own,
  options,
}: {
  client: Client;
  project: Project;
  testset: Testset | undefined;
  own: OwnTestcases;
  options: ServerOptions;
}): Promise<StoredOwnTestcases> {
  const ref = 'own';
  const entities = own.testcases.map(
    (testcase): TestcaseEntity => ({ kind: 'testcase', testset: ref, ...testcase }),
  );
  const losses: string[] = [];
  const sending = createTestcases({
    client,
    project,
    mode: options.sync ? 'sync' : 'upsert',
    dryRun: false,
    lose: (reason) => losses.push(reason),
    async *read() {
      yield* entities;
    },
  });
  const entityOf = (fieldMapping: TestsetEntity['fieldMapping']) =>
    testsetEntity(ref, options.testset, fieldMapping);
  const made = known ?? (await createTestset(client, project, entityOf(own.fieldMapping)));
  const { testset, notes: changes } = await withNewFields(client, made, own);
  const entity = entityOf(testset.fieldMapping);
  try {
    await sending.open(entity, testset);
    for (const entity of entities) await sending.add(entity);
    await sending.finish();
  } catch (error) {
    throw error instanceof ImportFailure ? new AssayError(error.message) : error;
  }
  const { report } = sending.targets[0]!;
  if (report.refused > 0) throw new AssayError(losses[0]!);
  const count = own.testcases.length;
  const isWhole = options.sync && losses.length === 0;
  const hasOthers = !isWhole && (await countUpTo(client, testset.id, count + 1)) > count;
  const ids = new Map(own.testcases.map(({ key }) => [key, sending.testcaseIdOf(ref, key)]));
  return {
    testset,
    choice: await choiceOf(own, ids, options, !hasOthers),
    notes: [
      ...own.notes,
      ...[...changes, ...losses, ...changesIn(report)].map((text) => ({ text })),
    ],
  };
}

const testsetEntity = (
  ref: string,
  name: string,
  fieldMapping: TestsetEntity['fieldMapping'],
): TestsetEntity => ({
  kind: 'testset',
  ref,
  name,
  description: 'Made by an evaluation, of its own testcases.',
  jsonSchema: {
    type: 'object',
    properties: Object.fromEntries(
      Object.values(fieldMapping)
        .flat()
        .map((field) => [field, {}]),
    ),
  },
  fieldMapping,
});

function createTestset(
  client: Client,
  project: Project,
  { kind: _kind, ref: _ref, ...body }: TestsetEntity,
): Promise<Testset> {
  const params = { projectId: project.id };
  return createOnce({
    path: `/projects/${project.id}/testsets`,
    name: body.name,
    create: (idempotencyKey) =>
      client.request('POST', '/projects/:projectId/testsets', { params, body, idempotencyKey }),
    find: (testsetId) => client.request('GET', '/testsets/:testsetId', { params: { testsetId } }),
    list: () => client.list('/projects/:projectId/testsets', { params }),
  });
}

/** Adds the inputs and expected fields that the testset lacks: it would take them for metadata. */
async function withNewFields(
  client: Client,
  testset: Testset,
  { fieldMapping }: TestcaseRows,
): Promise<{ testset: Testset; notes: string[] }> {
  const lacking = (role: 'inputs' | 'expected') =>
    fieldMapping[role].filter((field) => !testset.fieldMapping[role].includes(field));
  const [inputs, expected] = [lacking('inputs'), lacking('expected')];
  const added = [...inputs, ...expected];
  if (added.length === 0) return { testset, notes: [] };
  const { properties = {} } = testset.jsonSchema as { properties?: unknown };
  const changed = await client.request('PATCH', '/testsets/:testsetId', {
    params: { testsetId: testset.id },
    body: {
      jsonSchema: {
        ...testset.jsonSchema,
        properties: {
          ...Object.fromEntries(added.map((field) => [field, {}])),
          ...(isObject(properties) ? properties : {}),
        },
      },
      fieldMapping: {
        ...testset.fieldMapping,
        inputs: [...testset.fieldMapping.inputs, ...inputs],
        expected: [...testset.fieldMapping.expected, ...expected],
      },
    },
  });
  const named = added.map((field) => JSON.stringify(field)).join(', ');
  const what = added.length === 1 ? 'the new field' : 'the new fields';
  return { testset: changed, notes: [`The testset has ${what} ${named} now.`] };
}

/** The changes that an import made, as sentences. */
function changesIn(report: {
  name: string;
  created: number;
  updated: number;
  deleted: number;
  invalid: number;
}): string[] {
  const name = JSON.stringify(report.name);
  const { created, updated, deleted, invalid } = report;
  const counts = Object.entries({ created, updated, deleted }).filter(([, count]) => count > 0);
  const testcases = (count: number) => `${count} ${count === 1 ? 'testcase' : 'testcases'}`;
  return [
    ...(counts.length > 0
      ? [`Testcases of ${name}: ${counts.map(([what, count]) => `${count} ${what}`).join(', ')}.`]
      : []),
    ...(invalid > 0
      ? [`${testcases(invalid)} of ${name} ${invalid === 1 ? 'breaks' : 'break'} its schema.`]
      : []),
  ];
}

/** The given testcases that the options mean, by their keys. */
async function choiceOf(
  { testcases }: TestcaseRows,
  ids: ReadonlyMap<string, string | undefined>,
  { limit, sample, seed, where, keys }: ServerOptions,
  isWhole: boolean,
): Promise<Choice> {
  const wanted = keys && new Set(keys);
  const given = testcases
    .filter(({ key }) => wanted?.has(key) ?? true)
    .map(({ key }) => ({ id: ids.get(key)!, key }));
  const chosen: string[] = [];
  for await (const { key } of chooseTestcases(given, { limit, sample, seed })) chosen.push(key);
  const isAll = isWhole && chosen.length === testcases.length;
  return { ...(where ? { where } : {}), ...(isAll ? {} : { keys: chosen }) };
}

async function countUpTo(client: Client, testsetId: string, max: number): Promise<number> {
  let count = 0;
  for await (const _testcase of client.list('/testsets/:testsetId/testcases', {
    params: { testsetId },
    query: { preview: '0' },
  }))
    if (++count === max) break;
  return count;
}
