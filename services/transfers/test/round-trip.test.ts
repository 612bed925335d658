import { createHash, randomUUID } from 'node:crypto';
import { type ServiceName, urlVariable } from '@assay/contracts/all';
import { start as startScoring } from '@assay/scoring/service';
import { poll } from '@assay/testing/poll';
import { beforeAll, describe, expect, test } from 'vitest';
import { newTraceId, exportOf as spansOf } from '../../traces/test/setting.ts';
import { expiredProjectFile } from './expired-project.ts';
import {
  asAnotherOrganization,
  createProject,
  hostileText,
  linesOf,
  useTransfers,
  withMonitorsPaused,
  withoutIds,
} from './transferred-project.ts';
import { fileOf, recordLine } from './written-file.ts';

const transfers = useTransfers();
const { create, exportOf, importOf, request } = transfers;

const doneOf = (reply: { text: string }) => linesOf(reply).at(-1);

/** A project with one of everything, which no test changes, and its file. */
let original: Awaited<ReturnType<typeof createProject>>;
let file: Awaited<ReturnType<typeof exportOf>>;
beforeAll(async () => {
  original = await createProject(transfers);
  file = await exportOf(original.project.id);
});

/** A copy of it, for a test that changes it: its id, and the id of its run. */
async function importCopy() {
  const lines = linesOf(await importOf(file.text));
  const { to } = lines.find(({ from }) => from === original.baseline.id);
  return { projectId: lines.at(-1).projectId as string, baselineId: to as string };
}

describe('a project with one of everything', () => {
  test('is equal but for ids after export, import and export, in its own organization', async () => {
    const { project } = original;
    expect(file.status).toBe(200);
    expect(linesOf(file).filter(({ kind }) => kind === 'attachment')).toMatchObject([
      { sessionId: 'session 1', filePath: 'logs/answer.txt', sizeBytes: 9 },
    ]);
    const imported = await importOf(file.text);
    const done = doneOf(imported);
    expect(done).toMatchObject({ done: true });
    expect(done.projectId).not.toBe(project.id);
    const second = await exportOf(done.projectId);
    expect(withoutIds(second.text)).toEqual(withoutIds(withMonitorsPaused(file.text)));
    expect(linesOf(second).filter(({ kind }) => kind === 'monitor')).toHaveLength(2);
  });

  test('is equal but for ids in another organization, and neither sees what is the other’s', async () => {
    const { project, baseline } = original;
    const elsewhere = asAnotherOrganization();
    const imported = await importOf(file.text, elsewhere);
    const done = doneOf(imported);
    const second = await exportOf(done.projectId, elsewhere);
    const comparable = (text: string) =>
      withoutIds(
        text
          .replaceAll(/^\{"kind":"(member|attachment|end)".*\n/gm, '')
          .replaceAll(/"assignees":\[[^\]]*\]/g, ''),
      );
    expect(comparable(second.text)).toEqual(comparable(withMonitorsPaused(file.text)));
    expect((await exportOf(done.projectId)).status).toBe(404);
    expect((await exportOf(project.id, elsewhere)).status).toBe(404);
    const { to } = linesOf(imported).find(({ from }) => from === baseline.id);
    expect((await request('GET', `/runs/${to}`)).status).toBe(404);
    expect((await request('GET', `/runs/${to}`, undefined, elsewhere)).status).toBe(200);
  });

  test('has the summaries, comparisons and accounts of the original', async () => {
    const { baseline, candidate } = original;
    const imported = await importOf(file.text);
    const newIds = new Map(linesOf(imported).map(({ from, to }) => [from, to]));
    const [newBaseline, newCandidate] = [newIds.get(baseline.id), newIds.get(candidate.id)];
    const bodyOf = async (path: string) => {
      const reply = await request('GET', path);
      expect(reply.status, path).toBe(200);
      // A file has no line breaks inside of a line, so between the tokens of a payload neither.
      return withoutIds(reply.text.replaceAll('\n', ''));
    };
    for (const path of ['', '/summary', '/failures', '/records'])
      expect(await bodyOf(`/runs/${newBaseline}${path}`), path).toEqual(
        await bodyOf(`/runs/${baseline.id}${path}`),
      );
    const compare = (baselineRunId: string, candidateRunId: string) =>
      request('POST', '/comparisons', { baselineRunId, candidateRunId });
    const compared = await compare(newBaseline, newCandidate);
    expect(compared.status).toBe(200);
    expect(withoutIds(compared.text)).toEqual(
      withoutIds((await compare(baseline.id, candidate.id)).text),
    );
  });

  test('is imported with its runs paused where scores are still to be made', async () => {
    const { projectId, baselineId } = await importCopy();
    const body = { inputs: {}, expected: {}, outputs: {} };
    expect((await request('POST', `/runs/${baselineId}/records`, body)).status).toBe(201);
    const answer = await importOf((await exportOf(projectId)).text);
    const runs = (await request('GET', `/projects/${doneOf(answer).projectId}/runs`)).body.data;
    expect(
      runs.map(({ name, isPaused }: { name?: string; isPaused: boolean }) => [name, isPaused]),
    ).toEqual([
      [undefined, false],
      ['Baseline', true],
    ]);
  });
});

describe('a project', () => {
  test('keeps the parts of testsets that its runs are over, to the digit', async () => {
    const project = await create('/projects', { name: 'In parts', description: '' });
    const testset = await create(`/projects/${project.id}/testsets`, {
      name: 'Sizes',
      description: '',
      jsonSchema: {},
      fieldMapping: { inputs: ['size'], expected: [], metadata: [] },
    });
    await create(`/testsets/${testset.id}/testcases`, {
      items: [{ key: 'part', jsonData: { size: 1.5 } }, { jsonData: { size: 2 } }],
    });
    const raw = `{"metricIds":[],"testsetId":"${testset.id}","name":"Part","where":{"/size":1.50},"keys":["part"]}`;
    const made = await request('POST', `/projects/${project.id}/runs`, undefined, { raw });
    expect(made.status, made.text).toBe(201);
    const done = doneOf(await importOf((await exportOf(project.id)).text));
    const listed = await request('GET', `/projects/${done.projectId}/runs?name=Part`);
    expect(listed.body.data[0]).toMatchObject({
      numTestcases: 1,
      numTestsetTestcases: made.body.numTestsetTestcases,
      numExpectedRecords: 1,
      keys: ['part'],
    });
    expect(listed.text).toContain('"where":{"/size":1.50}');
  });

  test('keeps its payloads of 15 MiB, and of 512 levels', async () => {
    const project = await create('/projects', { name: 'Large', description: '' });
    const run = await create(`/projects/${project.id}/runs`, { metricIds: [] });
    const deep = `${'{"a":'.repeat(510)}{}${'}'.repeat(510)}`;
    const large = `{"inputs":${hostileText},"expected":{},"outputs":{"x":"${'y'.repeat(14 * 2 ** 20)}"}}`;
    for (const raw of [large, `{"inputs":${deep},"expected":{},"outputs":{}}`])
      expect((await request('POST', `/runs/${run.id}/records`, undefined, { raw })).status).toBe(
        201,
      );
    const first = await exportOf(project.id);
    const done = doneOf(await importOf(first.text, { query: '?answers=summary' }));
    expect(done).toMatchObject({ done: true });
    const second = await exportOf(done.projectId);
    expect(second.text.length).toBe(first.text.length);
    const digests = (text: string) =>
      withoutIds(text).map((line) => createHash('sha256').update(line).digest('hex'));
    expect(digests(second.text)).toEqual(digests(first.text));
  });
});

test('of a file of another organization no author is a member but the importer, and members do their tasks', async () => {
  const { records } = original;
  const members = linesOf(file).filter(({ kind }) => kind === 'member');
  const elsewhere = asAnotherOrganization();
  const email = members.at(-1).email.toUpperCase();
  const known = (await request('POST', '/members', { email }, elsewhere)).body.userId;
  const answer = linesOf(await importOf(file.text, elsewhere));
  const found = new Map(answer.map(({ from, to, match }) => [from, { to, match }]));
  expect(found.get(members.at(-1).userId)).toMatchObject({ match: 'imported' });
  expect(answer.at(-1).members).toEqual({ id: 0, email: 0, none: 0, imported: members.length });
  const listed = await request('GET', '/members?imported=true', undefined, elsewhere);
  const person = members.at(-1);
  expect(listed.body.data).toContainEqual({
    userId: found.get(person.userId)!.to,
    imported: true,
    email: person.email,
    name: person.name,
    role: 'none',
    createdAt: expect.any(String),
    projectId: answer.at(-1).projectId,
    mappedTo: null,
  });
  const ordinary = await request('GET', '/members', undefined, elsewhere);
  expect(ordinary.body.data.map(({ userId }: { userId: string }) => userId)).not.toContain(
    found.get(person.userId)!.to,
  );
  expect((await request('GET', '/members?imported=true')).body.data).toEqual([]);
  const { to: recordId } = found.get(records[1])!;
  const path = `/records/${recordId}`;
  const assignees = await request('GET', `${path}/assignees`, undefined, elsewhere);
  expect(
    assignees.body.data.map((each: { assigneeUserId: string }) => each.assigneeUserId),
  ).toEqual([known]);
  const { body } = await request('GET', path, undefined, elsewhere);
  const people = body.scores.filter(({ source }: { source: string }) => source === 'human');
  const givers = people.map(({ userId }: { userId: string }) => userId);
  expect(new Set(givers).size).toBe(givers.length);
  for (const userId of [known, elsewhere.identity.userId]) expect(givers).not.toContain(userId);
  const importedIds = listed.body.data.map(({ userId }: { userId: string }) => userId);
  expect(importedIds).toEqual(expect.arrayContaining(givers));
});

test('a mapping waits for a service that is away, and says so in the list', async () => {
  const elsewhere = asAnotherOrganization();
  const { projectId } = doneOf(await importOf(file.text, elsewhere));
  const ask = async (method: string, path: string, body?: unknown) =>
    (await request(method, path, body, elsewhere)).body;
  const member = await ask('POST', '/members', { email: 'ada@example.com' });
  const [run] = (await ask('GET', `/projects/${projectId}/runs`)).data;
  const personIn = ({ data }: { data: { userId: string; mappedTo: string }[] }) =>
    data.find(({ userId }) => userId === run.createdByUserId);
  await ask('PATCH', `/members/${run.createdByUserId}`, { mapTo: member.userId });
  const listed = () => ask('GET', '/members?imported=true');
  expect(personIn(await listed())).toMatchObject({ mappedTo: member.userId });

  // Until now scoring has heard nothing here.
  const { config, urls } = transfers.world();
  const addresses = Object.entries(urls).map(([name, url]) => [
    urlVariable(name as ServiceName),
    url,
  ]);
  const own = { DATABASE_PREFIX: `${config.DATABASE_PREFIX}_scoring`, PORT: 0 };
  const scoring = await startScoring({ ...config, ...Object.fromEntries(addresses), ...own });
  await poll('the person is gone', async () => personIn(await listed()) === undefined);
  expect((await ask('GET', `/runs/${run.id}`)).createdByUserId).toBe(member.userId);
  await scoring.stop();
});

describe('a file in which somebody wrote another author', () => {
  /** The file of a project whose scores and annotations are all said to be of the first member. */
  async function forge() {
    const lines = file.text.trimEnd().split('\n').slice(0, -1);
    const victim = (await request('POST', '/members', { email: `${randomUUID()}@example.com` }))
      .body.userId;
    const forged = lines.map((line) =>
      /^\{"kind":"(record|annotation|run)"/.test(line)
        ? line.replaceAll(/"(userId|createdByUserId)":"[^"]+"/g, `"$1":"${victim}"`)
        : line,
    );
    return { forged, victim };
  }

  test('is refused where it says that this server signed it', async () => {
    const { forged } = await forge();
    const answer = await importOf(fileOf(...forged), { query: '?answers=summary' });
    expect(doneOf(answer).details.issues).toEqual([
      { path: '/signature', message: expect.stringContaining('the file was changed') },
    ]);
    const copied = `${forged.join('\n')}\n`;
    const sha256 = createHash('sha256').update(copied).digest('hex');
    const end = { kind: 'end', lines: forged.length, sha256, signature: 's'.repeat(43) };
    expect((await importOf(`${copied}${JSON.stringify(end)}\n`)).text).toContain('/signature');
  });

  test('makes people of their own where it does not', async () => {
    const { forged, victim } = await forge();
    const [header, ...rest] = forged;
    const unsigned = fileOf(header!.replace(/,"signer":"[^"]+"/, ''), ...rest);
    const answer = linesOf(await importOf(unsigned));
    const to = answer.find(({ from }) => from === original.records[1]).to;
    const { scores } = (await request('GET', `/records/${to}`)).body;
    const givers = scores
      .filter(({ source }: { source: string }) => source === 'human')
      .map(({ userId }: { userId: string }) => userId);
    expect(givers.length).toBeGreaterThan(0);
    expect(givers).not.toContain(victim);
    const runs = (await request('GET', `/projects/${answer.at(-1).projectId}/runs`)).body.data;
    for (const { createdByUserId } of runs) expect(createdByUserId).not.toBe(victim);
  });
});

test('a monitor is as it was set, paused after its import, and then makes records in a run of its own', async () => {
  const project = await create('/projects', { name: 'watched', description: '' });
  const metric = await create(`/projects/${project.id}/metrics`, {
    name: 'People',
    evalType: 'human',
    outputType: 'boolean',
  });
  const saved = await request('PUT', `/projects/${project.id}/monitors`, {
    description: 'Every answer',
    metrics: [metric.id],
  });
  /** The run of today, once the monitor has made a record of a trace of the project. */
  const recordedIn = async (monitorId: string, projectId: string): Promise<string> => {
    const span = { traceId: newTraceId(), attributes: { 'input.value': 'Where?' } };
    const sent = await request('POST', '/v1/traces', undefined, {
      raw: JSON.stringify(spansOf([span], { 'assay.project_id': projectId })),
      headers: { 'content-type': 'application/json' },
    });
    expect(sent.status).toBe(200);
    transfers.goOn();
    return poll('the monitor has a record', async () => {
      const [today] = (await request('GET', `/monitors/${monitorId}`)).body.days;
      return today?.counts.recorded > 0 && today.runId;
    });
  };
  const runId = await recordedIn(saved.body.id, project.id);
  const answers = linesOf(await importOf((await exportOf(project.id)).text));
  expect(answers.at(-1).counts).toMatchObject({ monitor: 1, run: 1, record: 1 });
  const { projectId } = answers.at(-1);
  const newIds = new Map<string, string>(answers.map(({ from, to }) => [from, to]));
  const id = newIds.get(saved.body.id)!;
  const imported = { id, projectId, metricIds: [newIds.get(metric.id)], isPaused: true };
  expect((await request('GET', `/monitors/${id}`)).body).toEqual({ ...saved.body, ...imported });

  await request('PATCH', `/monitors/${id}`, { isPaused: false });
  const ownRunId = await recordedIn(id, projectId);
  const { data } = (await request('GET', `/projects/${projectId}/runs`)).body;
  expect(data.map((run: { id: string; source: string }) => [run.id, run.source])).toEqual([
    [ownRunId, 'Monitor'],
    [newIds.get(runId), 'Monitor'],
  ]);
  for (const each of [ownRunId, newIds.get(runId)])
    expect((await request('GET', `/runs/${each}/records`)).body.data).toHaveLength(1);
});

test('a run that has expired comes back as an expired one, with the results that were kept', async () => {
  const imported = doneOf(await importOf(expiredProjectFile()));
  const { data } = (await request('GET', `/projects/${imported.projectId}/runs`)).body;
  expect(data).toMatchObject([
    { name: 'Old', expiredAt: '2026-03-01T08:00:00.000Z', numRecords: 4, status: 'completed' },
  ]);
  const { items } = (await request('POST', '/run-summaries', { runIds: [data[0].id] })).body;
  expect(items[0].metrics).toMatchObject([
    { metricId: data[0].metricIds[0], metricVersionId: data[0].metricVersionIds[0], mean: 0.75 },
  ]);
  const first = await exportOf(imported.projectId);
  expect(linesOf(first).map(({ kind }) => kind)).not.toContain('record');
  const again = doneOf(await importOf(first.text));
  expect(withoutIds((await exportOf(again.projectId)).text)).toEqual(withoutIds(first.text));
});

test('a record of a run that has expired is refused', async () => {
  const lines = expiredProjectFile().trimEnd().split('\n').slice(0, -1);
  const { id: runId } = JSON.parse(lines.at(-1)!);
  const reply = await importOf(fileOf(...lines, JSON.stringify(recordLine({ runId }))));
  expect(reply.text).toContain('is a run that has expired, and has no records');
});
