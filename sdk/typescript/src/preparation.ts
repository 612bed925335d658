import type { Client } from '@assay/client/client';
import { gitLabels, variable } from './environment.ts';
import type { Json, ServerOptions } from './evaluation.ts';
import { AssayError } from './failure.ts';
import { choose, findByName, type NamedItem } from './lookup.ts';
import type { Scorers } from './scorers.ts';
import type { Run } from './waiting.ts';

export interface Testset extends NamedItem {
  baselineRunId: string | null;
}
interface Metric extends NamedItem {
  evalType: 'ai' | 'human' | 'heuristic';
  outputType: 'boolean' | 'int' | 'float';
  builtin?: unknown;
  code?: unknown;
}
interface System extends NamedItem {
  productionVersion: { id: string };
}

/** Everything that a run is made of, found or made. */
export interface Preparation {
  project: NamedItem;
  testset: Testset;
  metricIds: string[];
  /** The metrics of own scorers that the project has already, by name. */
  ownMetrics: Map<string, Metric>;
  systemVersionId: string | undefined;
  /** Of the system under test, before this evaluation. */
  productionVersionId: string | undefined;
  labels: Record<string, string>;
  /** The run to complete. */
  resumed: Run | undefined;
}

/** Finds everything by name, before anything is made. */
export async function prepare({
  client,
  projectName,
  options,
  scorers,
}: {
  client: Client;
  projectName: string;
  options: ServerOptions;
  scorers: Scorers;
}): Promise<Preparation> {
  const project = await findByName<NamedItem>({
    client,
    path: '/projects',
    kind: 'project',
    wanted: projectName,
  });
  const path = `/projects/${project.id}`;
  const testset = await findByName<Testset>({
    client,
    path: `${path}/testsets`,
    kind: 'testset',
    wanted: options.testset,
  });
  const metrics: Metric[] = [];
  for await (const metric of client.list<Metric>(`${path}/metrics`)) metrics.push(metric);
  const metricIds = (options.metrics ?? []).map(
    (wanted) => choose({ items: metrics, kind: 'metric', wanted }).id,
  );
  const ownMetrics = findOwnMetrics(metrics, scorers);
  const resumed = await findResumed({ client, options, testset });
  const system = resumed
    ? { systemVersionId: undefined, productionVersionId: undefined }
    : await upsertVersion({ client, path, options });
  return {
    project,
    testset,
    metricIds: [...new Set(metricIds)],
    ownMetrics,
    ...system,
    ...(resumed ? await productionOf({ client, path, run: resumed }) : {}),
    labels: { ...(await gitLabels()), ...options.labels },
    resumed,
  };
}

/** The metrics that own scorers score: heuristic ones that nothing else scores. */
function findOwnMetrics(metrics: Metric[], scorers: Scorers): Map<string, Metric> {
  const found = new Map<string, Metric>();
  for (const name of scorers.names) {
    const items = metrics.filter((metric) => metric.name === name);
    if (items.length === 0) continue;
    const metric = choose({ items, kind: 'metric', wanted: name });
    if (metric.evalType !== 'heuristic' || metric.builtin || metric.code)
      throw new AssayError(
        `The metric ${JSON.stringify(name)} is scored by ${scoredBy(metric)}: give the scorer in \`scores\` another name.`,
      );
    found.set(name, metric);
    scorers.setType(name, metric.outputType);
  }
  return found;
}

const scoredBy = ({ evalType, code }: Metric): string =>
  ({ ai: 'a judge', human: 'people', heuristic: code ? 'its code' : 'a built-in evaluator' })[
    evalType
  ];

async function findResumed({
  client,
  options,
  testset,
}: {
  client: Client;
  options: ServerOptions;
  testset: Testset;
}): Promise<Run | undefined> {
  const runId = options.resume ?? variable('ASSAY_RESUME');
  if (runId === undefined) return undefined;
  const run = await client
    .request<Run>('GET', `/runs/${encodeURIComponent(runId)}`)
    .catch((error: { code?: string }) => {
      if (error.code === 'NOT_FOUND')
        throw new AssayError(
          `There is no run ${runId} to resume: it was deleted, or is of another organization.`,
        );
      throw error;
    });
  if (run.testsetId === testset.id) return run;
  // A script with several evaluations resumes the one that the run is of.
  if (options.resume === undefined) return undefined;
  throw new AssayError(`The run ${runId} cannot be resumed here: it is not of this testset.`);
}

const defaultSystem = 'Default system';

/**
 * Finds the system, and upserts its version. Production does not move, but for a new system, whose
 * first version it is.
 */
async function upsertVersion({
  client,
  path,
  options: { config, systemName, versionName },
}: {
  client: Client;
  path: string;
  options: ServerOptions;
}): Promise<Pick<Preparation, 'systemVersionId' | 'productionVersionId'>> {
  const systems: System[] = [];
  for await (const system of client.list<System>(`${path}/systems`)) systems.push(system);
  const system = chooseSystem(systems, systemName, config !== undefined);
  if (config === undefined)
    return { systemVersionId: undefined, productionVersionId: system?.productionVersion.id };
  const name = versionName === undefined ? {} : { name: versionName };
  if (system) {
    const version = await client.request<{ id: string }>('POST', `/systems/${system.id}/versions`, {
      config,
      ...name,
    });
    return { systemVersionId: version.id, productionVersionId: system.productionVersion.id };
  }
  const body: Json = { name: systemName ?? defaultSystem, config };
  const created = await client.request<System>('POST', `${path}/systems`, body);
  if (versionName !== undefined)
    await client.request('POST', `/systems/${created.id}/versions`, { config, ...name });
  const { id } = created.productionVersion;
  return { systemVersionId: id, productionVersionId: id };
}

/** The system that is named, else the only one, else the one by default; undefined: to be made. */
export function chooseSystem<Item extends NamedItem>(
  systems: Item[],
  wanted: string | undefined,
  isMade: boolean,
): Item | undefined {
  if (wanted === undefined)
    return systems.length === 1 ? systems[0] : systems.find(({ name }) => name === defaultSystem);
  if (isMade) return systems.find(({ id, name }) => id === wanted || name === wanted);
  return choose({ items: systems, kind: 'system', wanted });
}

async function productionOf({
  client,
  path,
  run: { systemVersionId },
}: {
  client: Client;
  path: string;
  run: Run;
}): Promise<Pick<Preparation, 'productionVersionId'>> {
  for await (const { versions, productionVersion } of client.list<
    System & { versions: { id: string }[] }
  >(`${path}/systems`))
    if (versions.some(({ id }) => id === systemVersionId))
      return { productionVersionId: productionVersion.id };
  return { productionVersionId: undefined };
}
