import { type Client, listAll } from '@assay/client/client';
import type { NamedItem, Project } from '@assay/client/named';
import type { BodyOf, ItemOf } from '@assay/client/operations';
import { createOnce } from './create-once.ts';
import { gitLabels, variable } from './environment.ts';
import type { ServerOptions } from './evaluation.ts';
import { AssayError } from './failure.ts';
import type { GivenRows } from './given-rows.ts';
import { choose } from './lookup.ts';
import { planOwnTestcases, type StoredOwnTestcases, storeOwnTestcases } from './own-testcases.ts';
import { nothingScoresSentence, type Scorers } from './scorers.ts';
import { createProject, findTargets } from './targets.ts';
import type { Run } from './waiting.ts';

type Testset = ItemOf<'/projects/:projectId/testsets'>;
type Metric = ItemOf<'/projects/:projectId/metrics'>;

/** Everything that a run is made of, found or made. */
export interface Preparation {
  project: Project;
  testset: Testset;
  metricIds: string[];
  /** The metrics of own scorers that the project has already, by name. */
  ownMetrics: Map<string, Metric>;
  systemVersionId: string | undefined;
  /** The system under test, where there is one already. */
  systemId: string | undefined;
  /** Of the system under test, before this evaluation. */
  productionVersionId: string | undefined;
  labels: Record<string, string>;
  /** The run to complete. */
  resumed: Run | undefined;
  /** The testcases that the evaluation brings. */
  own: StoredOwnTestcases | undefined;
}

/** Finds everything by name, before anything is made. */
export async function prepare({
  client,
  projectName,
  options,
  scorers,
  rows,
}: {
  client: Client;
  projectName: string;
  options: ServerOptions;
  scorers: Scorers;
  /** The rows of `testcases`. */
  rows: GivenRows | undefined;
}): Promise<Preparation> {
  const found = await findTargets(client, projectName, options);
  const metrics = found.project
    ? await listAll(client, '/projects/:projectId/metrics', {
        params: { projectId: found.project.id },
      })
    : [];
  const metricIds = (options.metrics ?? []).map(
    (wanted) => choose({ items: metrics, kind: 'metric', wanted }).id,
  );
  const ownMetrics = findOwnMetrics(metrics, scorers);
  const resumed = await findResumed({ client, options, testset: found.testset });
  if (!resumed && options.metrics === undefined && scorers.names.length === 0)
    throw new AssayError(nothingScoresSentence(metrics[0]?.name));
  const planned = rows && planOwnTestcases(rows, found.testset, options);
  const project = found.project ?? (await createProject(client, projectName));
  const params = { projectId: project.id };
  const system = resumed
    ? { systemVersionId: undefined, systemId: undefined, productionVersionId: undefined }
    : await upsertVersion({ client, params, options });
  const own =
    planned &&
    (await storeOwnTestcases({
      client,
      project,
      testset: found.testset,
      own: planned,
      options,
    }));
  const testset = own?.testset ?? found.testset!;
  return {
    project,
    testset,
    metricIds: [...new Set(metricIds)],
    ownMetrics,
    ...system,
    ...(resumed ? await productionOf({ client, params, run: resumed }) : {}),
    labels: { ...(await gitLabels()), ...options.labels },
    resumed,
    own,
  };
}

/** The metrics that own scorers score: heuristic ones that nothing else scores. */
function findOwnMetrics(metrics: Metric[], scorers: Scorers): Map<string, Metric> {
  const found = new Map<string, Metric>();
  for (const name of scorers.names) {
    const items = metrics.filter((metric) => metric.name === name);
    if (items.length === 0) continue;
    const metric = choose({ items, kind: 'metric', wanted: name });
    if (metric.evalType !== 'heuristic' || isScoredByServer(metric))
      throw new AssayError(
        `The metric ${JSON.stringify(name)} is scored by ${scoredBy(metric)}: give the scorer in \`scores\` another name.`,
      );
    found.set(name, metric);
    scorers.setMetric(name, metric);
  }
  return found;
}

const isScoredByServer = (metric: Metric): boolean => 'builtin' in metric || 'code' in metric;

const scoredBy = (metric: Metric): string =>
  ({
    ai: 'a judge',
    human: 'people',
    heuristic: 'code' in metric ? 'its code' : 'a built-in evaluator',
  })[metric.evalType];

async function findResumed({
  client,
  options,
  testset,
}: {
  client: Client;
  options: ServerOptions;
  testset: Testset | undefined;
}): Promise<Run | undefined> {
  const runId = options.resume ?? variable('ASSAY_RESUME');
  if (runId === undefined) return undefined;
  const run = await client
    .request('GET', '/runs/:runId', { params: { runId } })
    .catch((error: { code?: string }) => {
      if (error.code === 'NOT_FOUND')
        throw new AssayError(
          `There is no run ${runId} to resume: it was deleted, or is of another organization.`,
        );
      throw error;
    });
  if (testset && run.testsetId === testset.id) return run;
  // A script with several evaluations resumes the one that the run is of.
  if (options.resume === undefined) return undefined;
  throw new AssayError(`The run ${runId} cannot be resumed here: it is not of this testset.`);
}

const defaultSystem = 'Default system';
const howToMakeSystem = 'To make it, give `config`, too, such as { model: "small-1" }.';

/**
 * Finds the system, and upserts its version. Production does not move, but for a new system, whose
 * first version it is.
 */
async function upsertVersion({
  client,
  params,
  options: { config, systemName, versionName },
}: {
  client: Client;
  params: { projectId: string };
  options: ServerOptions;
}): Promise<Pick<Preparation, 'systemVersionId' | 'systemId' | 'productionVersionId'>> {
  const systems = await listAll(client, '/projects/:projectId/systems', { params });
  const system = chooseSystem(systems, systemName, config !== undefined);
  if (config === undefined)
    return {
      systemVersionId: undefined,
      systemId: system?.id,
      productionVersionId: system?.productionVersion.id,
    };
  const { id, productionVersion } =
    system ?? (await createSystem(client, params, { name: systemName ?? defaultSystem, config }));
  // Of a new system, too: another evaluation may have made it at this moment, with its own config.
  const version = await client.request('POST', '/systems/:systemId/versions', {
    params: { systemId: id },
    body: { config, ...(versionName === undefined ? {} : { name: versionName }) },
  });
  return {
    systemVersionId: version.id,
    systemId: id,
    productionVersionId: productionVersion.id,
  };
}

const createSystem = (
  client: Client,
  params: { projectId: string },
  body: BodyOf<'POST', '/projects/:projectId/systems'> & { name: string },
) =>
  createOnce({
    path: `/projects/${params.projectId}/systems`,
    name: body.name,
    create: (idempotencyKey) =>
      client.request('POST', '/projects/:projectId/systems', { params, body, idempotencyKey }),
    find: (systemId) => client.request('GET', '/systems/:systemId', { params: { systemId } }),
    list: () => client.list('/projects/:projectId/systems', { params }),
  });

/** The system that is named, else the only one, else the one by default; undefined: to be made. */
function chooseSystem<Item extends NamedItem>(
  systems: Item[],
  wanted: string | undefined,
  isMade: boolean,
): Item | undefined {
  if (wanted === undefined)
    return systems.length === 1 ? systems[0] : systems.find(({ name }) => name === defaultSystem);
  if (isMade) return systems.find(({ id, name }) => id === wanted || name === wanted);
  return choose({ items: systems, kind: 'system', wanted, remedy: howToMakeSystem });
}

async function productionOf({
  client,
  params,
  run: { systemVersionId },
}: {
  client: Client;
  params: { projectId: string };
  run: Run;
}): Promise<Pick<Preparation, 'systemId' | 'productionVersionId'>> {
  for await (const { id, versions, productionVersion } of client.list(
    '/projects/:projectId/systems',
    {
      params,
    },
  ))
    if (versions.some((version) => version.id === systemVersionId))
      return { systemId: id, productionVersionId: productionVersion.id };
  return { systemId: undefined, productionVersionId: undefined };
}
