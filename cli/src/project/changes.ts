import { type Client, listAll } from '@assay/client/client';
import { findNamed, type Project, type Testset } from '@assay/client/named';
import type { BodyOf } from '@assay/client/operations';
import { statedWhole } from '@assay/contracts/scale';
import { createTestcases } from '@assay/import/sending/testcases';
import type { Bodies, Fields, MetricBody, TestsetBody } from './bodies.ts';
import { canonical } from './canonical.ts';
import { type Fault, faultsFailure, type ProjectFile } from './read.ts';

/** The changes of a push to one testset. Ids are null where there is nothing yet. */
export interface TestsetChange {
  id: string | null;
  name: string;
  isNew: boolean;
  /** Of the testset itself: schema, mapping, description. */
  changes: string[];
  testcases: Record<
    'created' | 'updated' | 'unchanged' | 'deleted' | 'refused' | 'invalid',
    number
  >;
  /** Testcases of the server that a changed schema makes invalid, and the first of them. */
  newlyInvalid: number;
  examples: { testcaseId: string; message: string }[];
}

/** The changes of a push to one metric. */
export interface MetricChange {
  id: string | null;
  name: string;
  isNew: boolean;
  /** The fields that differ. */
  changes: string[];
  /** Whether they change how it scores, so that there is a new version. */
  isNewVersion: boolean;
}

export interface ProjectChanges {
  testsets: TestsetChange[];
  metrics: MetricChange[];
  /** Sentences that a reader should know. */
  notes: string[];
}

interface StoredTestset extends Testset {
  tagsField?: string | undefined;
  description: string;
  jsonSchema: Fields;
}
type StoredMetric = Fields & { id: string; name: string };

interface Server {
  client: Client;
  project: Project | undefined;
}

/**
 * Compares the files with the server, and stores the difference unless `dryRun` is set. Faults of
 * the files that the server finds are thrown before anything is stored.
 */
export async function bringUp({
  client,
  project,
  file,
  bodies,
  dryRun,
  progress = () => undefined,
}: Server & {
  file: ProjectFile;
  bodies: Bodies;
  dryRun: boolean;
  progress?: (text: string) => void;
}): Promise<ProjectChanges> {
  const [testsets, metrics] = await Promise.all([
    project
      ? listAll(client, '/projects/:projectId/testsets', { params: { projectId: project.id } })
      : [],
    project
      ? listAll(client, '/projects/:projectId/metrics', { params: { projectId: project.id } })
      : [],
  ]);
  const known = bodies.metrics.map((body) => ({
    body,
    stored: findNamed(metrics, { kind: 'metric', wanted: body.name }),
  }));
  const checked = await checkMetrics({ client, project }, known, file);
  const faults = [...bodies.faults, ...checked.faults];
  if (faults.length > 0) throw faultsFailure(faults);
  const changes: ProjectChanges = { testsets: [], metrics: [], notes: [] };
  for (const body of bodies.testsets) {
    progress(`testset "${body.name}"`);
    const stored = findNamed(testsets, { kind: 'testset', wanted: body.name });
    const { change, notes } = await followTestset({ client, project }, { body, stored, dryRun });
    changes.testsets.push(change);
    changes.notes.push(...notes);
  }
  const warnings = hasNewFields(changes.testsets)
    ? dryRun
      ? checked.warnings.filter(({ code }) => code !== 'unknown_field')
      : (await checkMetrics({ client, project }, known, file)).warnings
    : checked.warnings;
  changes.notes.push(...warnings.map(({ place, message }) => `${place}: ${message}`));
  for (const { body, stored } of known)
    changes.metrics.push(await followMetric({ client, project }, { body, stored, dryRun }));
  return changes;
}

/** Whether records get fields that no testset of the server had: a warning of them was too early. */
const hasNewFields = (testsets: TestsetChange[]): boolean =>
  testsets.some(({ isNew, changes }) => isNew || changes.includes(titles.fieldMapping!));

/** Whether a push would store, or has stored, anything. */
export const hasChanges = ({ testsets, metrics }: ProjectChanges): boolean =>
  metrics.some(({ isNew, changes }) => isNew || changes.length > 0) ||
  testsets.some(
    ({ isNew, changes, testcases: { created, updated, deleted } }) =>
      isNew || changes.length > 0 || created + updated + deleted > 0,
  );

async function followTestset(
  { client, project }: Server,
  {
    body,
    stored,
    dryRun,
  }: { body: TestsetBody; stored: StoredTestset | undefined; dryRun: boolean },
): Promise<{ change: TestsetChange; notes: string[] }> {
  const { name, entity, source } = body;
  const patch = stored ? patchOf(body, stored) : {};
  const checked = stored && patch.jsonSchema ? await checkSchema(client, stored, entity) : none;
  if (stored && !dryRun && Object.keys(patch).length > 0)
    await client.request('PATCH', '/testsets/:testsetId', {
      params: { testsetId: stored.id },
      body: patch,
    });
  const notes = new Set<string>();
  const testcases = createTestcases({
    client,
    project,
    read: body.entities,
    mode: source.mode,
    dryRun,
    lose: (reason) => void notes.add(reason),
  });
  for await (const each of body.entities()) {
    // Its new fields were noted by the patch, and are no loss.
    const withFields = stored && { ...stored, fieldMapping: entity.fieldMapping };
    if (each.kind === 'testset') await testcases.open(each, withFields);
    if (each.kind === 'testcase') await testcases.add(each);
  }
  await testcases.finish();
  const { id, created, updated, unchanged, deleted, refused, invalid } =
    testcases.targets[0]!.report;
  const change = {
    id,
    name,
    isNew: !stored,
    changes: Object.keys(patch).map((field) => titles[field] ?? field),
    testcases: { created, updated, unchanged, deleted, refused, invalid },
    ...checked,
  };
  return { change, notes: [...notes] };
}

const titles: Record<string, string> = {
  jsonSchema: 'schema',
  fieldMapping: 'inputs and expected',
  tagsField: 'field of tags',
};

/** The members that the project's file has, and the server has otherwise. */
function patchOf({ entity, says }: TestsetBody, stored: StoredTestset): Fields {
  const { jsonSchema, fieldMapping, tagsField = null, description } = entity;
  const isMapped =
    canonical([fieldMapping.inputs, fieldMapping.expected]) ===
    canonical([stored.fieldMapping.inputs, stored.fieldMapping.expected]);
  return {
    ...(says.schema && canonical(jsonSchema) !== canonical(stored.jsonSchema)
      ? { jsonSchema }
      : {}),
    ...(says.mapping && !isMapped ? { fieldMapping } : {}),
    ...(says.tagsField && tagsField !== (stored.tagsField ?? null) ? { tagsField } : {}),
    ...(says.description && description !== stored.description ? { description } : {}),
  };
}

interface Check {
  newlyInvalid: number;
  examples: { testcaseId: string; validationErrors: { path: string; message: string }[] }[];
  next: string | null;
}

const none: Pick<TestsetChange, 'newlyInvalid' | 'examples'> = { newlyInvalid: 0, examples: [] };
const examplesMax = 10;

/** The testcases of the server that another schema would make invalid. */
async function checkSchema(
  client: Client,
  { id }: StoredTestset,
  { jsonSchema }: TestsetBody['entity'],
): Promise<typeof none> {
  const found = { ...none, examples: [...none.examples] };
  let after: string | null = null;
  do {
    const body = { jsonSchema: jsonSchema as Fields, ...(after === null ? {} : { after }) };
    const check: Check = await client.request('POST', '/testsets/:testsetId/check', {
      params: { testsetId: id },
      body,
    });
    found.newlyInvalid += check.newlyInvalid;
    for (const { testcaseId, validationErrors } of check.examples) {
      const [first] = validationErrors;
      if (found.examples.length < examplesMax)
        found.examples.push({ testcaseId, message: `${first?.path} ${first?.message}` });
    }
    after = check.next;
  } while (after !== null);
  return found;
}

interface KnownMetric {
  body: MetricBody;
  stored: StoredMetric | undefined;
}

/** Faults, for which a metric is refused, and warnings, with which it is stored. */
interface MetricRemarks {
  faults: Fault[];
  warnings: (Fault & { code: string })[];
}

/** The faults and warnings that the server has of metrics that are new or changed. */
async function checkMetrics(
  { client, project }: Server,
  metrics: KnownMetric[],
  file: ProjectFile,
): Promise<MetricRemarks> {
  const remarks: MetricRemarks = { faults: [], warnings: [] };
  if (!project) return remarks;
  for (const { body, stored } of metrics) {
    if (stored && differences(body, stored).length === 0) continue;
    const { issues, warnings } = await client.request(
      'POST',
      '/projects/:projectId/metrics/check',
      {
        params: { projectId: project.id },
        body: {
          ...body.body,
          ...(stored ? { metricId: stored.id } : {}),
        } as BodyOf<'POST', '/projects/:projectId/metrics/check'>,
      },
    );
    const placed = (
      { path, message, line, column }: (typeof issues)[number],
      { isSentence = false } = {},
    ) => faultOf({ body, path, message, line, column, isSentence }, file);
    remarks.faults.push(...issues.map((issue) => placed(issue)));
    for (const warning of warnings)
      remarks.warnings.push({ code: warning.code, ...placed(warning, { isSentence: true }) });
  }
  return remarks;
}

/** The members of the project's file by those of the API. */
const members: Record<string, string> = {
  evalType: 'type',
  outputType: 'output',
  promptTemplate: 'prompt',
  evalModelName: 'model',
};

/** A fault of a text stands in its file, where it has one. */
function faultOf(
  {
    body: { name, source },
    path,
    message,
    line,
    column = 1,
    isSentence = false,
  }: {
    body: MetricBody;
    path: string;
    message: string;
    line?: number;
    column?: number;
    isSentence?: boolean;
  },
  file: ProjectFile,
): Fault {
  const [first = '', ...rest] = path.split('/').slice(1);
  const member = members[first] ?? first;
  const own = (source as Record<string, unknown>)[member];
  // Some are whole sentences, others go on after the name.
  const colon = isSentence || /^[A-Z]/.test(message) ? ':' : '';
  const named = `metrics.${name}.${[member, ...rest].join('.')}${colon}`;
  const sentence = `${named} ${message}`.replace(/(?<![.?!])\.*$/, '.');
  return line !== undefined && typeof own === 'string'
    ? { place: `${own}:${line}:${column}`, message: sentence }
    : { place: file.placeOf(['metrics', name, member, ...rest]), message: sentence };
}

async function followMetric(
  { client, project }: Server,
  { body: own, stored, dryRun }: KnownMetric & { dryRun: boolean },
): Promise<MetricChange> {
  const { name, body } = own;
  const changes = stored ? differences(own, stored) : [];
  const isNewVersion = changes.some((field) => field !== 'description');
  const outcome = { name, isNew: !stored, changes, isNewVersion };
  if (dryRun || (stored && changes.length === 0)) return { id: stored?.id ?? null, ...outcome };
  const kept = stored
    ? await client.request('PATCH', '/metrics/:metricId', {
        params: { metricId: stored.id },
        body: body as BodyOf<'PATCH', '/metrics/:metricId'>,
      })
    : await client.request('POST', '/projects/:projectId/metrics', {
        params: { projectId: project!.id },
        body: body as BodyOf<'POST', '/projects/:projectId/metrics'>,
      });
  return { id: kept.id, ...outcome };
}

/** The members that the files have otherwise than the server; those that they lack stay. */
function differences({ body }: MetricBody, stored: StoredMetric): string[] {
  // The server leaves out a scale and a direction that are the usual ones.
  const whole: Fields = { ...stored, ...statedWhole(stored as never) };
  return Object.keys(body)
    .filter((field) => canonical(body[field]) !== canonical(whole[field]))
    .map((field) => members[field] ?? field);
}
