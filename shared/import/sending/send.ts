import { type Client, listAll } from '@assay/client/client';
import { findNamed, type Project, type Testset } from '@assay/client/named';
import type { ImportMode } from '@assay/contracts/testcases';
import type { Entity, RunEntity, SystemEntity, TestsetEntity } from '../entity.ts';
import { ImportFailure } from '../failure.ts';
import { createMetrics } from './metrics.ts';
import { createRecords, type RunTarget } from './records.ts';
import type { ImportedEntity, ImportedRun, ImportReport, Loss, Progress } from './report.ts';
import { createTestcases, type TestsetTarget } from './testcases.ts';

interface SendOptions {
  client: Client;
  /** Undefined in a dry run whose project is not there yet. */
  project: Project | undefined;
  /** Reads the source anew. */
  read: () => AsyncIterable<Entity>;
  /** The testset that is named; undefined: each by its own name. */
  testset: Testset | undefined;
  isOneTestset: boolean;
  mode: ImportMode | undefined;
  dryRun: boolean;
  /** The metrics of runs that bring no scores of their own. */
  metricIds?: readonly string[];
  progress: (sent: Progress) => void;
}

/**
 * Sends the entities of a source, in two passes: testcases first, since a run counts them when it is
 * made, and records name them. Whatever is there already, by its name, key, label or clientId, is used as it is.
 */
export async function sendImport(
  options: SendOptions,
): Promise<Omit<ImportReport, 'dryRun' | 'format' | 'files' | 'project'>> {
  const { client, project, read, dryRun, metricIds = [], progress } = options;
  const losses: Loss[] = [];
  const lose = createLosses(losses);
  const testcases = createTestcases({ ...options, lose });
  const metrics = await createMetrics({ client, project, dryRun });
  const systems: (ImportedEntity & { ref: string; versionId: string | null })[] = [];
  const runEntities: RunEntity[] = [];
  let count = 0;
  let hasRecords = false;

  for await (const entity of read()) {
    if (entity.kind === 'testset')
      await testcases.open(entity, await targetOf(entity, options, testcases.targets));
    if (entity.kind === 'metric') await metrics.add(entity);
    if (entity.kind === 'system') systems.push(await keepSystem(options, entity));
    if (entity.kind === 'run') runEntities.push(entity);
    if (entity.kind === 'loss') losses.push(lossOf(entity));
    if (entity.kind === 'record') hasRecords = true;
    if (entity.kind !== 'testcase') continue;
    await testcases.add(entity);
    count += 1;
    if (count % 100 === 0) progress({ kind: 'testcases', count });
  }
  await testcases.finish();

  const targets = new Map<string, RunTarget>();
  for (const entity of runEntities)
    targets.set(
      entity.ref,
      await keepRun(options, entity, {
        testsetId: entity.testset === undefined ? null : testcases.idOf(entity.testset),
        ...partOf(entity, testcases.targets),
        systemVersionId: systems.find(({ ref }) => ref === entity.system)?.versionId ?? null,
        metricIds:
          entity.metrics.length > 0
            ? entity.metrics.flatMap((ref) => metrics.idOf(ref) ?? [])
            : [...metricIds],
      }),
    );
  const records = createRecords({
    client,
    runs: targets,
    metricIdOf: metrics.idOf,
    testcaseIdOf: testcases.testcaseIdOf,
    dryRun,
    lose,
    progress,
  });
  if (hasRecords) for await (const entity of read()) await records.add(entity);
  await records.finish();
  return {
    testsets: testcases.targets.map(({ report }) => report),
    metrics: metrics.report,
    systems: systems.map(({ id, name, isNew }) => ({ id, name, isNew })),
    runs: [...targets.values()].map(({ report }) => report),
    annotations: records.annotations(),
    losses,
  };
}

/** Counts losses of one reason as one. */
const createLosses =
  (losses: Loss[]) =>
  (reason: string): void => {
    const known = losses.find((loss) => loss.reason === reason);
    if (known) known.count += 1;
    else losses.push({ place: {}, reason, count: 1 });
  };

const lossOf = ({ place, reason, count }: Loss): Loss => ({ place, reason, count });

async function targetOf(
  { name }: TestsetEntity,
  { client, project, testset, isOneTestset }: SendOptions,
  targets: readonly TestsetTarget[],
): Promise<Testset | undefined> {
  if (isOneTestset && targets.length > 0)
    throw new ImportFailure(
      {},
      `The source has several testsets, "${targets[0]!.report.name}" and "${name}" among them: leave out --testset, or import one of its files.`,
    );
  if (testset || !project) return testset;
  const known = await listAll(client, '/projects/:projectId/testsets', {
    params: { projectId: project.id },
  });
  return findNamed(known, { kind: 'testset', wanted: name });
}

/** A system that is there keeps its production version: an old run is no deployment. */
async function keepSystem(
  { client, project, dryRun }: SendOptions,
  { ref, name, description, config }: SystemEntity,
) {
  const known = project
    ? (
        await listAll(client, '/projects/:projectId/systems', { params: { projectId: project.id } })
      ).find((system) => system.name === name)
    : undefined;
  if (dryRun || !project)
    return { ref, id: known?.id ?? null, name, isNew: !known, versionId: null };
  if (known) {
    const version = await client.request('POST', '/systems/:systemId/versions', {
      params: { systemId: known.id },
      body: {
        config,
      },
    });
    return { ref, id: known.id, name, isNew: false, versionId: version.id };
  }
  const made = await client.request('POST', '/projects/:projectId/systems', {
    params: { projectId: project.id },
    body: {
      name,
      description,
      config,
    },
  });
  return { ref, id: made.id, name, isNew: true, versionId: made.productionVersion.id };
}

/** How many testcases a run is about: else it would wait for those that have no answer. */
function partOf(
  { testset, answers }: RunEntity,
  targets: readonly TestsetTarget[],
): { numTestcases?: number } {
  const report = targets.find(({ ref }) => ref === testset)?.report;
  if (answers === undefined || !report) return {};
  // One that was refused cannot be answered.
  const numTestcases = Math.min(answers, report.created + report.updated + report.unchanged);
  return numTestcases > 0 ? { numTestcases } : {};
}

const labelsMax = 20;

/** The run of an earlier import of the same source, or a new one. */
async function keepRun(
  { client, project, dryRun }: SendOptions,
  { name, labels, startedAt }: RunEntity,
  parts: {
    testsetId: string | null;
    systemVersionId: string | null;
    metricIds: string[];
    numTestcases?: number;
  },
): Promise<RunTarget> {
  const { importedFrom, importedId } = labels;
  const label = Object.entries({ importedFrom, importedId }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}:${value}`],
  );
  const known = project
    ? (
        await listAll(client, '/projects/:projectId/runs', {
          params: { projectId: project.id },
          query: { label },
        })
      ).findLast((run) => run.name === name && run.testsetId === parts.testsetId)
    : undefined;
  const report: ImportedRun = {
    id: known?.id ?? null,
    name,
    isNew: !known,
    created: 0,
    existing: 0,
    refused: 0,
    scores: 0,
  };
  if (known || dryRun || !project) return { id: known?.id, report };
  const hasRoom = startedAt !== undefined && Object.keys(labels).length < labelsMax;
  const { id } = await client.request('POST', '/projects/:projectId/runs', {
    params: { projectId: project.id },
    body: {
      ...parts,
      name,
      labels: { ...labels, ...(hasRoom ? { startedAt } : {}) },
    },
  });
  return { id, report: { ...report, id } };
}
