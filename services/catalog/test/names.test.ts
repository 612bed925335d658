import type { NamedThing } from '@assay/contracts/names';
import { asMember, heuristic, missingId, useRunRecords } from '@assay/testing/run-records';
import { beforeEach, describe, expect, test } from 'vitest';

const { create, request, newMember } = useRunRecords();

let projectId: string;
beforeEach(async () => {
  projectId = (await create('/projects', { name: 'Names', description: '' })).id;
});

const find = async (query: Record<string, string> | [string, string][] = {}) =>
  request('GET', `/projects/${projectId}/names?${new URLSearchParams(query)}`);
const foundNames = async (query: Record<string, string> | [string, string][] = {}) =>
  (await find(query)).body.names.map(({ name }: NamedThing) => name) as (string | null)[];

const newRun = (body: object = {}) =>
  create(`/projects/${projectId}/runs`, { metricIds: [], ...body });
const newTestset = (name: string) =>
  create(`/projects/${projectId}/testsets`, {
    name,
    description: '',
    jsonSchema: {},
    fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
  });
const newMetric = (name: string) =>
  create(`/projects/${projectId}/metrics`, { name, ...heuristic });
const newSystem = (name: string) =>
  create(`/projects/${projectId}/systems`, { name, config: { model: name } });

describe('a search over the names of a project', () => {
  test('finds things of every kind by all words of the text in any case, the newest first', async () => {
    const testset = await newTestset('Tax QUESTIONS of spring');
    const metric = await newMetric('Questions of tax');
    const system = await newSystem('Questions to the tax bot');
    const run = await newRun({ name: 'Tax: questions, once more', testsetId: testset.id });
    await newRun({ name: 'Questions' });
    const { body } = await find({ text: ' questions  TAX ' });
    expect(body.names).toEqual([
      expect.objectContaining({
        kind: 'run',
        id: run.id,
        name: 'Tax: questions, once more',
        testsetId: testset.id,
        createdAt: run.createdAt,
      }),
      expect.objectContaining({
        kind: 'systemVersion',
        id: system.productionVersion.id,
        name: 'Version 1',
        systemId: system.id,
        systemName: 'Questions to the tax bot',
      }),
      expect.objectContaining({ kind: 'system', id: system.id }),
      expect.objectContaining({ kind: 'metric', id: metric.id, name: 'Questions of tax' }),
      expect.objectContaining({ kind: 'testset', id: testset.id, name: 'Tax QUESTIONS of spring' }),
    ]);
    expect(body.isCut).toBe(false);
  });

  test('has at most `newest` names, of the kinds that are asked for, and says that there are more', async () => {
    for (const name of ['one', 'two', 'three']) await newRun({ name });
    await newMetric('four');
    expect(await foundNames({ newest: '2' })).toEqual(['four', 'three']);
    const runs = await find({ kind: 'run', newest: '2' });
    expect(runs.body).toMatchObject({ names: [{ name: 'three' }, { name: 'two' }], isCut: true });
    const both = [['kind', 'run'] as [string, string], ['kind', 'metric'] as [string, string]];
    expect(await foundNames(both)).toEqual(['four', 'three', 'two', 'one']);
    expect((await find({ kind: 'run', newest: '3' })).body.isCut).toBe(false);
    expect((await find({ newest: '101' })).body.details.issues).toMatchObject([
      { path: '?newest' },
    ]);
    expect((await find({ kind: 'project' })).body.details.issues).toMatchObject([
      { path: '?kind', message: expect.stringContaining('systemVersion') },
    ]);
  });

  test('takes the text as it is written, never as a pattern', async () => {
    for (const name of ['a.*b', 'axxb', '(((((', '$where', '{"$gt":""}']) await newRun({ name });
    expect(await foundNames({ text: '.*' })).toEqual(['a.*b']);
    expect(await foundNames({ text: '(((' })).toEqual(['(((((']);
    expect(await foundNames({ text: '$WHERE' })).toEqual(['$where']);
    expect(await foundNames({ text: '{"$gt"' })).toEqual(['{"$gt":""}']);
    expect(await foundNames({ text: '\u0000' })).toEqual([]);
    expect((await find({ text: 'x'.repeat(257) })).status).toBe(400);
  });

  test('finds a name whichever way its accents were typed', async () => {
    await newRun({ name: 'Cafe\u0301 ÜBER' });
    expect(await foundNames({ text: 'café über' })).toEqual(['Cafe\u0301 ÜBER']);
  });

  test('with ids tells the names of these, also of a version whose system is gone', async () => {
    const system = await newSystem('Bot');
    const version = system.productionVersion.id;
    const run = await newRun();
    await request('DELETE', `/systems/${system.id}`);
    const ids = [version, run.id, missingId].map((id) => ['id', id] as [string, string]);
    const { names } = (await find(ids)).body;
    expect(names).toEqual([
      expect.objectContaining({ kind: 'run', id: run.id, name: null }),
      expect.objectContaining({ kind: 'systemVersion', id: version, name: 'Version 1' }),
    ]);
    expect(names[1]).not.toHaveProperty('systemName');
    expect(await foundNames({ text: 'version' })).toEqual([]);
  });

  test('with a testset finds its runs only', async () => {
    const testset = await newTestset('Same');
    await newRun({ name: 'Same, without a testset' });
    await newRun({ name: 'Same, of the testset', testsetId: testset.id });
    expect(await foundNames({ testsetId: testset.id })).toEqual(['Same, of the testset']);
  });

  test('with a metric finds the runs that it scores only', async () => {
    const metric = await newMetric('Right');
    await newRun({ name: 'Right by hand' });
    await newRun({ name: 'Right by the metric', metricIds: [metric.id] });
    expect(await foundNames({ metricId: metric.id, text: 'right' })).toEqual([
      'Right by the metric',
    ]);
  });

  test('says of which kinds it knows nothing, since their service does not answer', async () => {
    await newRun({ name: 'there' });
    const { status, body } = await find({ text: 'there' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ names: [{ name: 'there' }], missing: ['monitor'] });
    expect((await find({ kind: 'run' })).body.missing).toEqual([]);
  });

  test('does not find what was deleted', async () => {
    const run = await newRun({ name: 'gone' });
    const metric = await newMetric('gone');
    await request('DELETE', `/runs/${run.id}`);
    await request('DELETE', `/metrics/${metric.id}`);
    expect(await foundNames({ text: 'gone' })).toEqual([]);
  });

  test('is for every member, and stays within the project and the organization', async () => {
    await newRun({ name: 'secret' });
    const path = `/projects/${projectId}/names?text=secret`;
    const reader = await request('GET', path, undefined, asMember(await newMember()));
    expect(reader.body.names).toHaveLength(1);
    const stranger = { identity: { organizationId: missingId } };
    expect((await request('GET', path, undefined, stranger)).status).toBe(404);
    const other = await create('/projects', { name: 'Other', description: '' });
    const ofOther = await request('GET', `/projects/${other.id}/names`);
    expect(ofOther.body.names).toEqual([]);
    const run = (await find({ text: 'secret' })).body.names[0].id;
    const byId = await request('GET', `/projects/${other.id}/names?id=${run}`);
    expect(byId.body.names).toEqual([]);
  });
});
