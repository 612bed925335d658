import { payloadPlan } from '@assay/contracts/body-shape';
import { metricChange } from '@assay/contracts/metrics';
import { JsonText } from '@assay/contracts/payload';
import { parseBody } from '@assay/runtime/http/body';
import { poll } from '@assay/testing/poll';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { absent, builtin, code, judged, useMetrics } from './setting.ts';

const { request, ask, identity, newProject, newMetric, change, currentVersion } = useMetrics();

const bodyPlan = payloadPlan(metricChange);
/** A change as an HTTP body brings it. */
const asSent = (change: object) =>
  parseBody(Buffer.from(JSON.stringify(change)), bodyPlan) as z.infer<typeof metricChange>;

/** Asked again while the machine is too busy to check the code of the change. */
const changedVersion = (metricId: string, change: object) =>
  poll('a changed version is answered', () =>
    ask()
      .changedVersion(identity(), { metricId, change: asSent(change) })
      .catch((error) => {
        if (error.code !== 'SERVICE_UNAVAILABLE') throw error;
        return undefined;
      }),
  );

/** Without the form in which payloads go over the bus. */
const plain = (version: unknown) =>
  JSON.parse(
    JSON.stringify(version, (_key, value) => (value instanceof JsonText ? value.parse() : value)),
  );

describe('a changed version', () => {
  test.each([
    [
      { evalType: 'ai', outputType: 'int', ...judged },
      { votes: 3, name: 'n' },
      { name: 'n', judge: { ...judged, votes: 3, seed: null } },
    ],
    [
      { evalType: 'human', outputType: 'float' },
      { annotators: 2, passingThreshold: 0.5 },
      { annotators: 2, passingThreshold: 0.5 },
    ],
    [{ evalType: 'heuristic', outputType: 'float', builtin }, { code }, { builtin: null, code }],
    [
      { evalType: 'heuristic', outputType: 'float' },
      { builtin },
      { builtin, isScoredByService: true },
    ],
    [{ evalType: 'human', outputType: 'boolean' }, {}, {}],
  ])(
    'of %j by %j is answered beside the current one, and nothing of it is kept',
    async (parts, changes, differs) => {
      const projectId = await newProject();
      const metric = await newMetric(projectId, parts);
      const current = await currentVersion(projectId, metric.id);
      const { evalType, outputType } = parts;
      const answer = await changedVersion(metric.id, { evalType, outputType, ...changes });
      expect(plain(answer)).toEqual({
        projectId,
        current: plain(current),
        changed: { ...plain(current), ...differs, metricVersionId: expect.any(String) },
      });
      expect(answer.changed.metricVersionId).not.toBe(current.metricVersionId);
      expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
      expect(await currentVersion(projectId, metric.id)).toEqual(current);
      expect(await ask().version(identity(), answer.changed)).toEqual({ version: null });
      expect(
        (await changedVersion(metric.id, { evalType, outputType, ...changes })).changed
          .metricVersionId,
      ).not.toBe(answer.changed.metricVersionId);
    },
  );

  test.each([
    [
      { evalType: 'ai', ...judged },
      { evalType: 'ai', outputType: 'boolean', promptTemplate: '{% if a %}' },
      '/promptTemplate',
    ],
    [{ evalType: 'human' }, { evalType: 'human', outputType: 'int' }, '/outputType'],
    [{ evalType: 'human' }, { evalType: 'heuristic', outputType: 'boolean' }, '/evalType'],
    [
      { evalType: 'heuristic' },
      { evalType: 'heuristic', outputType: 'boolean', builtin: { name: 'nothing' } },
      '/builtin/name',
    ],
    [
      { evalType: 'heuristic' },
      { evalType: 'heuristic', outputType: 'boolean', builtin, code },
      '/code',
    ],
  ])(
    'of %j by %j is refused as the change itself would be, at %s of the change',
    async (parts, changes, path) => {
      const metric = await newMetric(await newProject(), parts);
      const refused = await request('PATCH', `/metrics/${metric.id}`, changes);
      expect([refused.status, refused.body.details.issues[0].path]).toEqual([400, path]);
      await expect(changedVersion(metric.id, changes)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: refused.body.details,
      });
    },
  );

  test('of a metric that is not there, or of another organization, is not found', async () => {
    const none = { evalType: 'human', outputType: 'boolean' } as const;
    const metric = await newMetric(await newProject());
    const unknown = { code: 'NOT_FOUND', details: { resource: 'metric' } };
    await expect(changedVersion(absent, none)).rejects.toMatchObject(unknown);
    const stranger = { ...identity(), organizationId: absent };
    await expect(
      ask().changedVersion(stranger, { metricId: metric.id, change: none }),
    ).rejects.toMatchObject(unknown);
  });

  test('fits a message of the bus with the current one, however large both are', async () => {
    // Each of these is six bytes of JSON: the most that a body of 256 KiB brings.
    const guidelines = '\u0001'.repeat(20_000);
    const source = (first: string) =>
      `function evaluate() { return true } // ${first}${'\u0001'.repeat(43_000)}`;
    const metric = await newMetric(await newProject(), { evalType: 'heuristic', guidelines });
    expect((await change(metric, { code: { ...code, source: source('a') } })).status).toBe(200);
    const changing = {
      evalType: 'heuristic',
      outputType: 'boolean',
      code: { ...code, source: source('b') },
    };
    const { current, changed } = await changedVersion(metric.id, changing);
    expect([current.code!.source, changed.code!.source, changed.guidelines]).toEqual([
      source('a'),
      source('b'),
      guidelines,
    ]);
  });
});
