import { scoring } from '@assay/contracts/scoring';
import { subjectOf } from '@assay/runtime/bus';
import { start as startScoring } from '@assay/scoring/service';
import { poll } from '@assay/testing/poll';
import { startWorld } from '@assay/testing/world';
import { describe, expect, test } from 'vitest';
import { judged, services, useMetrics } from './setting.ts';

/** Scoring with one provider; whether a model can judge is told without records. */
const scoringConfig = { RUN_RECORDS_URL: 'http://127.0.0.1:1', OPENAI_API_KEY: 'sk-test' };

const path = '/evalModelName';
const ai = { name: 'm', evalType: 'ai', outputType: 'boolean', ...judged };
const notConfigured = (model: string, provider: string) => ({
  code: 'no_provider',
  path,
  message: `No provider is configured for ${model}, so its scores will fail with no_provider until ${provider} is configured.`,
});
const unknownPrice = (model: string) => ({
  code: 'unknown_price',
  path,
  message: `The price of ${model} is not known, so a run's cost and budget do not count it.`,
});

describe('a metric and the model that judges it', () => {
  const { ask, identity, request, create, newProject, change } = useMetrics({ others: { scoring: startScoring }, config: scoringConfig });

  test.each([
    ['gpt-4o', undefined],
    ['openai/gpt-4o', undefined],
    ['anthropic/claude-haiku-4-5', [notConfigured('anthropic/claude-haiku-4-5', 'anthropic')]],
    ['openai/our-own', [unknownPrice('openai/our-own')]],
    ['compatible/our-own', [notConfigured('compatible/our-own', 'compatible'), unknownPrice('compatible/our-own')]],
  ])('with the model %s is created and changed with warnings of what is amiss, which are not kept', async (evalModelName, warnings) => {
    const projectId = await newProject();
    const { body: created, status } = await create(projectId, { ...ai, evalModelName });
    expect([status, created.warnings]).toEqual([201, warnings]);
    const { warnings: _, ...metric } = created;
    expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
    expect((await request('GET', `/projects/${projectId}/metrics`)).body.data).toEqual([metric]);
    expect((await change(metric, { name: 'n' })).body).toEqual({ ...metric, name: 'n', ...(warnings && { warnings }) });
    const well = await change(metric, { evalModelName: 'gpt-4o' });
    expect([well.status, well.body.warnings]).toEqual([200, undefined]);
    expect((await change(metric, { evalModelName })).body.warnings).toEqual(warnings);
  });

  test.each(['nobody/gpt-4o', 'openai/', '/'])('is refused with the model %s of no provider, which lists the providers', async (model) => {
    const projectId = await newProject();
    const message = expect.stringMatching(/names no provider in ".*"; put one of openai\/, anthropic\/, .* before the model's name/);
    const refused = await create(projectId, { ...ai, evalModelName: model });
    expect([refused.status, refused.body.details.issues]).toEqual([400, [{ path, message }]]);
    const metric = (await create(projectId, ai)).body;
    const changed = await change(metric, { evalModelName: model });
    expect([changed.status, changed.body.details.issues]).toEqual([400, [{ path, message }]]);
    const asked = ask().changedVersion(identity(), {
      metricId: metric.id,
      change: { evalType: 'ai', outputType: 'boolean', evalModelName: model },
    });
    await expect(asked).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: changed.body.details });
    expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
  });
});

test('a metric whose model has no provider any more can still be changed, and is told of it', async () => {
  await using before = await startWorld({ services });
  const { body: project } = await before.request('POST', '/projects', { name: 'p', description: '' });
  const { body: metric } = await before.request('POST', `/projects/${project.id}/metrics`, { ...ai, evalModelName: 'nobody/gpt-4o' });
  const judges = await startScoring({ ...before.config, ...scoringConfig });
  const { evalType, outputType, evalModelName } = metric;
  const changed = await before.request('PATCH', `/metrics/${metric.id}`, { evalType, outputType, evalModelName, name: 'n' });
  await judges.stop();
  const message =
    'No provider is configured for nobody/gpt-4o, so its scores will fail with no_provider until the metric names a model of one.';
  expect(changed.body).toEqual({
    ...metric,
    name: 'n',
    warnings: [{ code: 'no_provider', path, message }, unknownPrice('nobody/gpt-4o')],
  });
});

describe('a metric is created and changed without warnings', () => {
  const { world, create, change, newProject } = useMetrics();
  const makeAndChange = async () => {
    const created = await create(await newProject(), { ...ai, evalModelName: 'nobody/gpt-4o' });
    expect([created.status, created.body.warnings]).toEqual([201, undefined]);
    const changed = await change(created.body, { votes: 3 });
    expect(changed.body).toEqual({ ...created.body, votes: 3 });
  };

  test('when scoring is not there', makeAndChange);

  test('when scoring does not answer', async () => {
    const { connection, options } = world().bus;
    let asked = 0;
    const silent = connection.subscribe(subjectOf(options.prefix, 'question', scoring.name, 'judge'), { callback: () => asked++ });
    await connection.flush();
    await makeAndChange();
    silent.unsubscribe();
    await poll('both were asked about', () => asked === 2);
  });
});
