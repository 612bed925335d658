import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cookGuidelines, cookPrompt } from '@assay/local/demo-judge/cook';
import {
  demoJudgeModel,
  lacksDemoJudge,
  rememberDemoProject,
} from '@assay/local/demo-judge/demo-judge';
import { poll } from '@assay/testing/poll';
import { expect, onTestFinished, test } from 'vitest';
import { type Laptop, startLaptop, startProgram } from './laptop.ts';

const offer = 'npm start -- --demo-judge plays it';

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-demo-judge-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** All that a laptop says when it starts. */
async function greetingOf(laptop: Laptop): Promise<string> {
  await poll('it has said all', () => laptop.said().includes('Ctrl-C stops it.'));
  return laptop.said();
}

/** Makes a project as the demo does, with a record that its judge has to score. */
async function makeDemoProject({ call }: Laptop) {
  const make = async (path: string, body: unknown) => {
    const reply = await call('POST', path, body);
    expect(reply.status, reply.text).toBe(201);
    return reply.body;
  };
  const project = await make('/projects', { name: 'Demo', description: '' });
  const metric = await make(`/projects/${project.id}/metrics`, {
    name: 'Usable for a cook',
    evalType: 'ai',
    outputType: 'boolean',
    evalModelName: demoJudgeModel,
    guidelines: cookGuidelines,
    promptTemplate: cookPrompt,
  });
  const askJudge = async ({ call }: Laptop) => {
    const run = await call('POST', `/projects/${project.id}/runs`, { metricIds: [metric.id] });
    const reading = { quantity: 400, unit: 'g', item: 'flour' };
    const record = await call('POST', `/runs/${run.body.id}/records`, {
      inputs: { line: '400 g flour' },
      expected: reading,
      outputs: { ...reading, quantity: 4 },
    });
    return poll('the judge has answered', async () => {
      const { body } = await call('GET', `/records/${record.body.id}`);
      return body.scores[0]?.score?.reasoning as string | undefined;
    });
  };
  return { id: project.id as string, askJudge };
}

test('npm start offers the judge of the demo where its project is there and no judge is configured', async () => {
  const folder = await makeFolder();
  const played = await startLaptop(folder, {}, ['--demo-judge']);
  expect(await greetingOf(played)).toContain('a program of the demo, and no language model');
  const project = await makeDemoProject(played);
  await rememberDemoProject(folder, project.id);
  // The judge that is played is configured as one's own would be.
  expect(await lacksDemoJudge({ ...played, folder })).toBe(false);
  expect(await project.askJudge(played)).toMatch(/^The amount is 4 in place of 400/);
  await played.stop();

  const second = await startLaptop(folder);
  expect(await greetingOf(second)).toContain(offer);
  expect((await second.call('DELETE', `/projects/${project.id}`)).status).toBe(200);
  expect(await lacksDemoJudge({ ...second, folder })).toBe(false);
  await second.stop();
});

test('the judge of the demo does not take the place of judges of one’s own', async () => {
  const program = startProgram('start', ['--demo-judge'], {
    ASSAY_DATA_DIR: join(await makeFolder(), 'data'),
    COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1',
  });
  expect(await program.ended).toBe(1);
  expect(program.said()).toBe(
    '--demo-judge takes the place of judges of your own: leave it out, or take away COMPATIBLE_BASE_URL.\n',
  );
});
