import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { poll } from '@assay/testing/poll';
import { startWorld } from '@assay/testing/world';
import { expect, test } from 'vitest';
import { start } from '../src/service.ts';

test.each(['javascript', 'typescript', 'python'])(
  'where bubblewrap is missing, a score by %s fails and says so',
  async (language) => {
    const services = {
      catalog: startCatalog,
      metrics: startMetrics,
      'run-records': startRunRecords,
      scoring: start,
    };
    await using world = await startWorld({
      services,
      config: { BUBBLEWRAP_PATH: '/nowhere/bwrap' },
    });
    const ok = async (...call: Parameters<typeof world.request>) => {
      const { status, body, text } = await world.request(...call);
      expect(status, text).toBe(201);
      return body.id as string;
    };
    const source =
      language === 'python'
        ? 'def evaluate(record):\n    return True'
        : 'function evaluate() { return true; }';
    const projectId = await ok('POST', '/projects', { name: 'p', description: '' });
    const metric = {
      name: 'm',
      evalType: 'heuristic',
      outputType: 'boolean',
      code: { language, source },
    };
    const runId = await ok('POST', `/projects/${projectId}/runs`, {
      metricIds: [await ok('POST', `/projects/${projectId}/metrics`, metric)],
    });
    await ok('POST', `/runs/${runId}/records`, { inputs: {}, expected: {}, outputs: {} });
    const [failure] = await poll('the score has failed', async () => {
      const { data } = (await world.request('GET', `/runs/${runId}/failures`)).body;
      return data.length > 0 && data;
    });
    expect(failure.message).toMatch(/metrics are off on this machine: bubblewrap /);
    if (language !== 'python') expect(failure.message).toContain('CODE_WITHOUT_WALL=true');
  },
);
