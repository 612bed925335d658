import { setMaxListeners } from 'node:events';
import { identity } from '@assay/contracts/identity';
import { createOrganization } from '@assay/local/organization';
import { connectBus } from '@assay/runtime/bus/bus';
import { createLog } from '@assay/runtime/log';
import { pollAtMost } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Attacker, createAttacker } from '../../bench/src/neighbours/attack.ts';
import { attacks } from '../../bench/src/neighbours/attacks.ts';
import { attackedBy } from '../../bench/src/neighbours/operations.ts';
import { createTallies, doneOf, undone } from '../../bench/src/neighbours/tallies.ts';
import {
  keys,
  type MockProviders,
  say,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { type Call, callAt } from '../system/installation.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { report } from './seed.ts';

/** How long the neighbour asks beside an attack that is seen to do all kinds of its work. */
const besideMs = 3000;
const seenWithinMs = 180_000;
/** A client gives up after this; how quick answers are, `npm run bench -- neighbours` measures. */
const answerMaxMs = 20_000;
const pairsCount = 2000;

let cluster: Cluster;
let judge: MockProviders;
let attacker: Attacker;
let neighbour: { runId: string; projectId: string };
beforeAll(async () => {
  judge = await startMockProviders(() => say({ reasoning: 'So.', binaryScore: true }));
  cluster = await startCluster({
    environment: () => ({
      COMPATIBLE_API_KEY: keys.COMPATIBLE_API_KEY,
      COMPATIBLE_BASE_URL: `http://127.0.0.1:${judge.port}/compatible/v1`,
      RATE_LIMIT_PER_MINUTE: '1000000000',
      // As in the benchmark: it is the time of code that is tried, and not its walls.
      CODE_WITHOUT_WALL: 'true',
    }),
  });
  const { url } = cluster.gateway;
  const { NATS_URL, SUBJECT_PREFIX, ASSAY_OPERATOR_SECRET } = cluster.config;
  const log = createLog({ name: 'test', level: 'silent' });
  const bus = await connectBus({
    urls: NATS_URL,
    name: 'test',
    prefix: SUBJECT_PREFIX,
    operatorSecret: ASSAY_OPERATOR_SECRET,
    log,
  });
  const { key } = await createOrganization(bus.asks(identity).identity, { name: 'Attacker' });
  await bus.drain();
  attacker = createAttacker({ url, key, pairsCount, tallies: createTallies() });
  const { call } = cluster;
  const projectId = (await call('POST', '/projects', { name: 'p', description: '' })).body.id;
  const run = await call('POST', `/projects/${projectId}/runs`, { metricIds: [] });
  neighbour = { projectId, runId: run.body.id };
}, 300_000);
afterAll(async () => {
  await cluster?.stop();
  await judge?.stop();
}, 120_000);

/** The ordinary requests of another organization, whose statuses and longest time are returned. */
async function askAsNeighbour(call: Call) {
  const { runId, projectId } = neighbour;
  const record = { inputs: {}, expected: {}, outputs: { response: 'a' } };
  const requests = [
    () => call('POST', `/runs/${runId}/records`, record),
    () => call('GET', `/runs/${runId}/records?limit=20`),
    () => call('GET', `/projects/${projectId}/runs`),
  ];
  const failures: string[] = [];
  let longestMs = 0;
  const untilMs = performance.now() + besideMs;
  await Promise.all(
    requests.map(async (ask) => {
      while (performance.now() < untilMs) {
        const sentMs = performance.now();
        const { status, text } = await ask();
        longestMs = Math.max(longestMs, performance.now() - sentMs);
        if (status >= 300) failures.push(`${status} ${text}`);
      }
    }),
  );
  return { failures, longestMs };
}

test.each(attacks.map((attack) => [attack.name, attack] as const))(
  '%s: the attack does its work, and every request of another organization is done',
  {
    timeout: 2 * seenWithinMs,
  },
  async (name, attack) => {
    const { tallies } = attacker;
    const { kinds, run } = await attack.prepare(attacker);
    for (const operation of attackedBy(name))
      expect(kinds.map((kind) => kind.split(' ')[0])).toContain(operation);
    const ending = new AbortController();
    // One for each request that is under way.
    setMaxListeners(0, ending.signal);
    tallies.clear();
    const running = run(ending.signal).catch((error: Error) => tallies.miss('run', error.message));
    try {
      await pollAtMost(seenWithinMs, 'all kinds of work are seen', () => {
        const missing = undone(kinds, tallies.all());
        return missing.length === 0;
      }).catch((error: Error) => {
        throw new Error(`${error.message} Not seen: ${undone(kinds, tallies.all()).join(', ')}`);
      });
      const before = doneOf(tallies.all());
      const { failures, longestMs } = await askAsNeighbour(
        callAt(cluster.gateway.url, cluster.gateway.key),
      );
      await pollAtMost(seenWithinMs, 'work is done', () => doneOf(tallies.all()) > before);
      report(`beside ${name}: the longest answer took ${(longestMs / 1000).toFixed(2)} s`);
      expect(failures).toEqual([]);
      expect(longestMs).toBeLessThan(answerMaxMs);
    } finally {
      ending.abort();
      await running;
    }
  },
);
