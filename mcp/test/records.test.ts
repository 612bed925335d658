import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { type Agent, connectAgent } from './agent.ts';
import { createProject, type Project } from './project.ts';

let assay: SharedInstallation;
let agent: Agent;
let project: Project;

beforeAll(async () => {
  assay = await shareInstallation();
  project = await createProject(assay.call);
  agent = await connectAgent(assay);
});
afterAll(() => agent[Symbol.asyncDispose]());

test('list_records filters by outcome, tag and text, and goes on by its cursor', async () => {
  const runId = project.candidateRunId;
  const failing = { runId, metric: 'Same answer', outcome: 'fail', limit: 6 };
  const first = await agent.call('list_records', failing);
  const second = await agent.call('list_records', { ...failing, cursor: first.nextCursor });
  const ids = [...first.records, ...second.records].map(({ recordId }) => recordId);
  expect(new Set(ids).size).toBe(10);
  expect(second.nextCursor).toBeNull();
  const tagged = await agent.call('list_records', { runId, tag: 'first' });
  expect(tagged.records).toHaveLength(1);
  const found = await agent.call('list_records', { runId, text: 'What is 3 + 3' });
  expect(found.records).toHaveLength(1);
});

test('get_record gives a record whole, piece by piece', async () => {
  const long = 'é'.repeat(9_000) + '🦉'.repeat(4_000);
  const { body: run } = await assay.call('POST', `/projects/${project.projectId}/runs`, {
    metricIds: [],
  });
  const { body: record } = await assay.call('POST', `/runs/${run.id}/records`, {
    inputs: { question: long },
    expected: {},
    outputs: { answer: 'short' },
  });
  const whole = await agent.call('get_record', { recordId: record.id });
  expect(whole.inputs.bytes).toBeGreaterThan(30_000);
  let text = '';
  let offset: number | null = 0;
  while (offset !== null) {
    const part = await agent.call('get_record', {
      recordId: record.id,
      at: '/inputs/question',
      offset,
    });
    text += /^<data-\w+>([\s\S]*)<\/data-\w+>$/.exec(part.text)![1];
    offset = part.nextOffset;
  }
  expect(text).toBe(long);
});

test('get_record gives any part of a payload as it was sent', async () => {
  const { body: run } = await assay.call('POST', `/projects/${project.projectId}/runs`, {
    metricIds: [],
  });
  const { body: record } = await assay.call('POST', `/runs/${run.id}/records`, undefined, {
    raw: '{"inputs":{},"expected":{},"outputs":{"list":[{"a/b":12345678901234567890},"x"]}}',
  });
  const partAt = async (at: string) =>
    /^<data-\w+>([\s\S]*)<\/data-\w+>$/.exec(
      (await agent.call('get_record', { recordId: record.id, at })).text,
    )![1];
  expect(await partAt('/outputs/list/0/a~1b')).toBe('12345678901234567890');
  expect(await partAt('/outputs/list/0')).toBe('{"a/b":12345678901234567890}');
  expect(await partAt('/outputs/list/1')).toBe('x');
  expect(await agent.fails('get_record', { recordId: record.id, at: '/outputs/list/2' })).toContain(
    '`at` leads to nothing',
  );
});
