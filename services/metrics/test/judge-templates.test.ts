import { judgeTemplateNames } from '@assay/contracts/metrics/judge-template';
import { expect, test } from 'vitest';
import { absent, useMetrics } from './setting.ts';

const { request, newProject, newMetric, change } = useMetrics();

const adopt = (projectId: string, body: object) =>
  request('POST', `/projects/${projectId}/metrics/adopt`, body);

interface Template {
  name: string;
  title: string;
  outputType: string;
  guidelines: string;
  promptTemplate: string;
}

test('the ready-made judges are listed, and each is adopted by its name alone', async () => {
  const { status, body } = await request('GET', '/judge-templates');
  const templates = body.data as Template[];
  expect([status, templates.map(({ name }) => name)]).toEqual([200, judgeTemplateNames]);
  const projectId = await newProject();
  for (const { name, title, outputType, guidelines, promptTemplate } of templates) {
    const adopted = await adopt(projectId, { template: name });
    expect([name, adopted.status]).toEqual([name, 201]);
    expect(adopted.body).toMatchObject({
      name: title,
      evalType: 'ai',
      outputType,
      guidelines,
      promptTemplate,
      evalModelName: 'gpt-4o',
      temperature: 0,
    });
    expect(adopted.body.description).toMatch(new RegExp(`template ${name}, version \\d+\\.$`));
  }
});

test('an adopted metric has the name, the model and the places that were asked for, and is changed like any other', async () => {
  const projectId = await newProject();
  const { status, body } = await adopt(projectId, {
    template: 'tone',
    name: 'Our voice',
    evalModelName: 'openai/gpt-4o-mini',
    fields: { answer: '/outputs/reply text' },
  });
  expect([status, body.name, body.evalModelName]).toEqual([201, 'Our voice', 'openai/gpt-4o-mini']);
  expect(body.passingThreshold).toBe(4);
  expect(body.promptTemplate).toContain('{% set answer = outputs["reply text"] -%}');
  const changed = await change(body, { guidelines: '5: like a pirate.', description: null });
  expect(changed.body).toMatchObject({ guidelines: '5: like a pirate.', description: null });
  const versions = await request('GET', `/metrics/${body.id}/versions`);
  expect(versions.body.data.map(({ changes }: { changes: string[] }) => changes)).toEqual([
    ['guidelines'],
    [],
  ]);
});

test("an adopted metric reads the project's own field, and says so", async () => {
  const projectId = await newProject();
  await request('POST', `/projects/${projectId}/testsets`, {
    name: 'Questions',
    description: '',
    jsonSchema: { type: 'object' },
    fieldMapping: { inputs: ['prompt'], expected: [], metadata: [] },
  });
  const { body } = await adopt(projectId, { template: 'answer_relevance' });
  expect(body.promptTemplate).toContain('{% set question = inputs.prompt -%}');
  expect(body.warnings).toContainEqual({
    code: 'unknown_field',
    path: '/fields/question',
    message:
      'No testset of the project has /inputs/question: the judge reads /inputs/prompt. Name another place in `fields` where that is wrong.',
  });
});

test('an adoption that cannot be is refused with all its places, and creates nothing', async () => {
  const projectId = await newProject();
  await newMetric(projectId);
  const unknown = await adopt(projectId, { template: 'faithful' });
  expect(unknown.status).toBe(400);
  expect(unknown.body.details.issues).toEqual([
    {
      path: '/template',
      message: `must be one of ${judgeTemplateNames.join(', ')}`,
    },
  ]);
  const fields = { answer: 'response', reply: '/outputs/reply' };
  const misplaced = await adopt(projectId, { template: 'tone', fields });
  expect(misplaced.body.details.issues.map(({ path }: { path: string }) => path)).toEqual([
    '/fields/answer',
    '/fields/reply',
  ]);
  const model = await adopt(projectId, { template: 'tone', evalModelName: 'a//b' });
  expect(model.body.details.issues[0].path).toBe('/evalModelName');
  const several = await adopt(projectId, {
    template: 'tone',
    evalModelName: 'a//b',
    fields: { answer: ['/outputs'] },
  });
  expect(several.body.details.issues.map(({ path }: { path: string }) => path).sort()).toEqual([
    '/evalModelName',
    '/fields/answer',
  ]);
  const both = await adopt(projectId, { template: 'faithful', evalModelName: 'a b' });
  expect(both.body.details.issues.map(({ path }: { path: string }) => path).sort()).toEqual([
    '/evalModelName',
    '/template',
  ]);
  const listed = await request('GET', `/projects/${projectId}/metrics`);
  expect(listed.body.data).toHaveLength(1);
  expect((await adopt(absent, { template: 'tone' })).status).toBe(404);
});
