import { scoring } from '@assay/contracts/scoring';
import { subjectOf } from '@assay/runtime/bus/subjects';
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
  const { ask, identity, request, create, newProject, change } = useMetrics({
    others: { scoring: startScoring },
    config: scoringConfig,
  });

  test.each([
    ['gpt-4o', undefined],
    ['openai/gpt-4o', undefined],
    ['anthropic/claude-haiku-4-5', [notConfigured('anthropic/claude-haiku-4-5', 'anthropic')]],
    ['openai/our-own', [unknownPrice('openai/our-own')]],
    [
      'compatible/our-own',
      [notConfigured('compatible/our-own', 'compatible'), unknownPrice('compatible/our-own')],
    ],
  ])(
    'with the model %s is created and changed with warnings of what is amiss, which are not kept',
    async (evalModelName, warnings) => {
      const projectId = await newProject();
      const { body: created, status } = await create(projectId, { ...ai, evalModelName });
      expect([status, created.warnings]).toEqual([201, warnings]);
      const { warnings: _, ...metric } = created;
      expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
      expect((await request('GET', `/projects/${projectId}/metrics`)).body.data).toEqual([metric]);
      expect((await change(metric, { name: 'n' })).body).toEqual({
        ...metric,
        name: 'n',
        ...(warnings && { warnings }),
      });
      const well = await change(metric, { evalModelName: 'gpt-4o' });
      expect([well.status, well.body.warnings]).toEqual([200, undefined]);
      expect((await change(metric, { evalModelName })).body.warnings).toEqual(warnings);
    },
  );

  test('is refused with a model of no provider, which lists the providers', async () => {
    const model = 'nobody/gpt-4o';
    const projectId = await newProject();
    const message = expect.stringMatching(
      /names no provider in ".*"; put one of openai\/, anthropic\/, .* before the model's name/,
    );
    const refused = await create(projectId, { ...ai, evalModelName: model });
    expect([refused.status, refused.body.details.issues]).toEqual([400, [{ path, message }]]);
    const metric = (await create(projectId, ai)).body;
    const changed = await change(metric, { evalModelName: model });
    expect([changed.status, changed.body.details.issues]).toEqual([400, [{ path, message }]]);
    const asked = ask().changedVersion(identity(), {
      metricId: metric.id,
      change: { evalType: 'ai', outputType: 'boolean', evalModelName: model },
    });
    await expect(asked).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: changed.body.details,
    });
    expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
  });
});

describe("a model's name that would leave its place in the provider's URL", () => {
  const { request, create, newProject, change } = useMetrics();
  const characters = 'must be made of letters, digits and . _ : @ / -';
  const segments = 'must not have an empty segment, `.` or `..` between its slashes';
  const google = 'must be google/<model>, google/models/<model> or google/tunedModels/<model>';

  test.each([
    ['google/../../internal/admin?x=', characters],
    ['google/a/../../../metadata/x', segments],
    ['google/%2e%2e/secret', characters],
    ['openai/', segments],
    ['/', segments],
    ['compatible/a//b', segments],
    ['compatible/./b', segments],
    ['google/files/x', google],
    ['google/models/x/y', google],
  ])('%s: is refused with its place at creation and at change', async (evalModelName, message) => {
    const projectId = await newProject();
    const refused = await create(projectId, { ...ai, evalModelName });
    expect([refused.status, refused.body.details.issues]).toEqual([400, [{ path, message }]]);
    const metric = (await create(projectId, ai)).body;
    const changed = await change(metric, { evalModelName });
    expect([changed.status, changed.body.details.issues]).toEqual([400, [{ path, message }]]);
    expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
  });

  test.each([
    'gpt-4o',
    'ft:gpt-4o-mini:our-org::abc123',
    'google/models/gemini-2.5-flash',
    'google/tunedModels/ours',
    'compatible/meta-llama/Llama-3.1-8B-Instruct',
    'compatible/llama3:8b',
    'bedrock/arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.amazon.nova-lite-v1:0',
    'anthropic/claude-sonnet-4-5@20250929',
  ])('%s is no such name', async (evalModelName) => {
    expect((await create(await newProject(), { ...ai, evalModelName })).status).toBe(201);
  });
});

describe('where the operator says which models may be asked', () => {
  const config = {
    ...scoringConfig,
    ANTHROPIC_API_KEY: 'sk-test',
    JUDGE_MODELS: 'gpt-4o, anthropic/*',
  };
  const { create, newProject, change } = useMetrics({ others: { scoring: startScoring }, config });

  test('another is refused at creation and at change, with those that may be', async () => {
    const projectId = await newProject();
    const metric = (await create(projectId, ai)).body;
    expect((await change(metric, { evalModelName: 'anthropic/claude-haiku-4-5' })).status).toBe(
      200,
    );
    const message =
      'names the model "o3", which may not be asked here: the operator allows gpt-4o, anthropic/* (JUDGE_MODELS)';
    for (const refused of [
      await create(projectId, { ...ai, evalModelName: 'o3' }),
      await change(metric, { evalModelName: 'o3' }),
    ])
      expect([refused.status, refused.body.details.issues]).toEqual([400, [{ path, message }]]);
  });
});

test('a metric whose model has no provider any more can still be changed, and is told of it', async () => {
  await using before = await startWorld({ services });
  const { body: project } = await before.request('POST', '/projects', {
    name: 'p',
    description: '',
  });
  const { body: metric } = await before.request('POST', `/projects/${project.id}/metrics`, {
    ...ai,
    evalModelName: 'nobody/gpt-4o',
  });
  const judges = await startScoring({ ...before.config, ...scoringConfig });
  const { evalType, outputType, evalModelName } = metric;
  const changed = await before.request('PATCH', `/metrics/${metric.id}`, {
    evalType,
    outputType,
    evalModelName,
    name: 'n',
  });
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
    const silent = connection.subscribe(
      subjectOf(options.prefix, 'question', scoring.name, 'judge'),
      { callback: () => asked++ },
    );
    await connection.flush();
    await makeAndChange();
    silent.unsubscribe();
    await poll('both were asked about', () => asked === 2);
  });
});
