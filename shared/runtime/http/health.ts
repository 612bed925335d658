import { Failure } from '@assay/contracts/failure';
import { version } from '@assay/contracts/version';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics.ts';

/** The sentence to an operator for each phase in which a process does not serve. */
const problems = {
  starting: 'The process is starting.',
  migrating: 'The process is migrating its data.',
  stopping: 'The process is stopping.',
};

/** Whether a process serves, whatever the others do. */
export interface Readiness {
  /** Why it does not serve; undefined if it does. */
  problem(): string | undefined;
  /** Notes its phase; one that is stopping stays so. */
  become(phase: 'ready' | keyof typeof problems): void;
}

/** Creates the readiness of a process that is starting. */
export function createReadiness(): Readiness {
  let phase: Parameters<Readiness['become']>[0] = 'starting';
  return {
    problem: () => (phase === 'ready' ? undefined : problems[phase]),
    become: (next) => {
      if (phase !== 'stopping') phase = next;
    },
  };
}

/**
 * What a process shares with others or asks, by name: each function returns the sentence of what is
 * wrong with it, or undefined.
 */
export type Dependencies = Record<string, () => Promise<string | undefined>>;

interface HealthOptions {
  readiness: Readiness;
  dependencies: Dependencies;
  metrics: Metrics;
}

/**
 * Answers whether the process runs, of which version it is, whether it serves, and what it depends
 * on. A dependency that is away makes no process unready: probes would take all of them out at once.
 */
export function answerHealth(
  app: FastifyInstance,
  { readiness, dependencies, metrics }: HealthOptions,
): void {
  const check = remembered(() => checkAll(dependencies));
  answerProbes(app, readiness);
  app.get('/healthz/dependencies', async (_request, reply) => {
    const found = await check();
    const isWell = found.every(({ problem }) => problem === null);
    return reply.code(isWell ? 200 : 503).send({ dependencies: found });
  });
  metrics.gauges(
    'assay_dependency_up',
    'Whether a dependency of the process can be used: 1 or 0.',
    'dependency',
    async () => (await check()).map(({ name, problem }) => [name, problem === null ? 1 : 0]),
  );
}

/** Answers the probes of what starts and restarts processes. */
export function answerProbes(app: FastifyInstance, readiness: Readiness): void {
  app.get('/livez', async () => ({ status: 'alive', version }));
  app.get('/readyz', async () => {
    const problem = readiness.problem();
    if (problem !== undefined)
      throw new Failure('SERVICE_UNAVAILABLE', problem, { retryAfterSeconds: 1 });
    return { status: 'ready' };
  });
}

interface FoundDependency {
  name: string;
  problem: string | null;
}

/** How long a dependency may take to answer, in ms. */
const answerTimeoutMs = 3000;

const checkAll = (dependencies: Dependencies): Promise<FoundDependency[]> =>
  Promise.all(
    Object.entries(dependencies).map(async ([name, problemOf]) => ({
      name,
      problem: (await inTime(problemOf)) ?? null,
    })),
  );

async function inTime(problemOf: () => Promise<string | undefined>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('It does not answer.'), answerTimeoutMs);
  });
  try {
    return await Promise.race([problemOf(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How long an answer is given again, in ms: anyone may ask the gateway, without a key. */
const rememberedMs = 1000;

/** Those who ask at once, or shortly afterwards, share one answer. */
function remembered<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let latest: Promise<Answer> | undefined;
  let expiresAt = Number.POSITIVE_INFINITY;
  return () => {
    if (latest && performance.now() < expiresAt) return latest;
    expiresAt = Number.POSITIVE_INFINITY;
    latest = ask().finally(() => {
      expiresAt = performance.now() + rememberedMs;
    });
    return latest;
  };
}
