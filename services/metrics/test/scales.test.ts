import { describe, expect, test } from 'vitest';
import { judged, useMetrics } from './setting.ts';

const { ask, identity, request, create, newProject, newMetric, change, currentVersion } =
  useMetrics();

const float = { evalType: 'heuristic', outputType: 'float' };
const int = { evalType: 'human', outputType: 'int' };
const boolean = { evalType: 'human', outputType: 'boolean' };

describe('a new metric', () => {
  test.each<[object, object]>([
    [float, { passingThreshold: 0.9 }],
    [{ ...float, min: 0, max: 1, lowerIsBetter: false }, { passingThreshold: 0.9 }],
    [
      { ...float, min: 0, max: 100 },
      { min: 0, max: 100, passingThreshold: 90 },
    ],
    [
      { ...float, max: 100 },
      { min: 0, max: 100, passingThreshold: 90 },
    ],
    [
      { ...float, lowerIsBetter: true },
      { lowerIsBetter: true, passingThreshold: 0.1 },
    ],
    [
      { ...float, min: 1, max: null, lowerIsBetter: true },
      { min: 1, max: null, lowerIsBetter: true },
    ],
    [
      { ...float, min: 1, max: null, passingThreshold: 30 },
      { min: 1, max: null, passingThreshold: 30 },
    ],
    [
      { ...int, min: 0, max: 10 },
      { min: 0, max: 10, passingThreshold: 8 },
    ],
    [
      { ...int, lowerIsBetter: true },
      { lowerIsBetter: true, passingThreshold: 2 },
    ],
    [{ ...boolean, lowerIsBetter: true, passingThreshold: 0.5 }, { lowerIsBetter: true }],
  ])('of %j has the scale, the direction and the threshold %j', async (body, parts) => {
    const projectId = await newProject();
    const { status, body: made } = await create(projectId, { name: 'm', ...body });
    expect(status).toBe(201);
    const { evalType, outputType } = body as typeof float;
    const whole = { id: made.id, name: 'm', description: null, guidelines: '' };
    expect(made).toEqual({ ...whole, evalType, outputType, ...parts });
    expect((await request('GET', `/metrics/${made.id}`)).body).toEqual(made);
    const version = await currentVersion(projectId, made.id);
    expect(version).toMatchObject({ passingThreshold: null, ...parts });
  });

  test.each<[object, string, RegExp]>([
    [{ ...float, min: 2, max: 2 }, '/max', /leaves no scale: it would go from 2 to 2/],
    [{ ...float, min: 2 }, '/min', /from 2 to 1/],
    [{ ...float, min: 0, max: 1e16 }, '/max', /./],
    [{ ...int, min: null }, '/min', /./],
    [{ ...int, min: 0.5 }, '/min', /./],
    [{ ...int, min: 0, max: 1001 }, '/max', /at most 1001 values/],
    [{ ...int, min: 0, max: 10, passingThreshold: 11 }, '/passingThreshold', /from 0 to 10/],
    [{ ...float, passingThreshold: 1.5 }, '/passingThreshold', /must be a number from 0 to 1/],
    [{ ...float, lowerIsBetter: 'yes' }, '/lowerIsBetter', /./],
    [
      { ...float, max: 100, builtin: { name: 'levenshtein', options: {} } },
      '/max',
      /a built-in evaluator gives numbers from 0 to 1/,
    ],
  ])('of %j is refused at %s', async (body, path, message) => {
    const { status, body: refused } = await create(await newProject(), { name: 'm', ...body });
    expect(status).toBe(400);
    const issues: { path: string; message: string }[] = refused.details.issues;
    expect(issues.find((issue) => issue.path === path)?.message).toMatch(message);
  });
});

describe('a change', () => {
  test.each<[object, object, object]>([
    [float, { max: 100 }, { min: 0, max: 100, passingThreshold: 90 }],
    [float, { lowerIsBetter: true }, { lowerIsBetter: true, passingThreshold: 0.1 }],
    [
      { ...float, passingThreshold: 0.4 },
      { max: 100 },
      { min: 0, max: 100, passingThreshold: 0.4 },
    ],
    [{ ...float, max: 100 }, { max: 1 }, { passingThreshold: 0.9 }],
    [{ ...float, lowerIsBetter: true }, { lowerIsBetter: false }, { passingThreshold: 0.9 }],
    [int, { min: 0, max: 10 }, { min: 0, max: 10, passingThreshold: 8 }],
    [boolean, { lowerIsBetter: true }, { lowerIsBetter: true }],
    [{ ...float, max: null }, { max: 10 }, { min: 0, max: 10, passingThreshold: 9 }],
  ])('of %j by %j makes a version with %j', async (body, changed, parts) => {
    const projectId = await newProject();
    const metric = await newMetric(projectId, body);
    const before = await currentVersion(projectId, metric.id);
    const { id, name, description, evalType, outputType, guidelines } = metric;
    expect((await change(metric, changed)).body).toEqual({
      ...{ id, name, description, evalType, outputType, guidelines },
      ...parts,
    });
    const after = await currentVersion(projectId, metric.id);
    expect(after.metricVersionId).not.toBe(before.metricVersionId);
    const { changes } = await ask().changes(identity(), {
      from: before.metricVersionId,
      to: after.metricVersionId,
    });
    expect(changes).toEqual(expect.arrayContaining(Object.keys(changed)));
  });

  test('that names the scale that the metric has makes none', async () => {
    const projectId = await newProject();
    const metric = await newMetric(projectId, float);
    const before = await currentVersion(projectId, metric.id);
    await change(metric, { min: 0, max: 1, lowerIsBetter: false });
    expect(await currentVersion(projectId, metric.id)).toEqual(before);
  });

  test('after which the threshold lies outside of the scale is refused there', async () => {
    const metric = await newMetric(await newProject(), { ...float, passingThreshold: 0.4 });
    const { status, body } = await change(metric, { min: 0.5 });
    expect([status, body.details.issues]).toEqual([
      400,
      [{ path: '/passingThreshold', message: 'must be a number from 0.5 to 1' }],
    ]);
  });
});

test('a check tells the faults of a scale beside those of a template and of the schema', async () => {
  const projectId = await newProject();
  const body = {
    evalType: 'ai',
    outputType: 'float',
    min: 2,
    max: 1,
    ...judged,
    promptTemplate: '{{ outputs.',
  };
  const { issues } = await ask().checkedVersion(identity(), {
    projectId,
    metricId: null,
    body: JSON.stringify(body),
  });
  const paths = issues.map(({ path }) => path);
  expect(new Set(paths)).toEqual(new Set(['/name', '/min', '/promptTemplate']));
});
