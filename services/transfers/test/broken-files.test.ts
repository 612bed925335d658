import { randomUUID } from 'node:crypto';
import { request as openRequest } from 'node:http';
import { newId } from '@assay/runtime/ids';
import { poll } from '@assay/testing/poll';
import { missingId } from '@assay/testing/run-records';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  asAnotherOrganization,
  createProject,
  linesOf,
  useTransfers,
} from './transferred-project.ts';
import { fileOf, header, monitorLine, projectLine, recordLine, runLine } from './written-file.ts';

const transfers = useTransfers();
const { world, exportOf, importOf, request } = transfers;

const project = projectLine();

/** The failure of an import, whether it came at once or as the last line. */
const failureOf = ({ status, body, text }: Awaited<ReturnType<typeof importOf>>) =>
  status === 200 ? linesOf({ text }).at(-1) : { status, ...body };

const projectsOf = async (as: object) =>
  (await request('GET', '/projects', undefined, as)).body.data as { id: string }[];

let file: string;
beforeAll(async () => {
  file = (await exportOf((await createProject(transfers)).project.id)).text;
});

/** Nothing of a failed import is there under any of the ids that it answered. */
async function expectNothing(answers: { kind: string; to: string }[], as: object): Promise<void> {
  expect(await projectsOf(as)).toEqual([]);
  const paths: Record<string, string> = {
    project: '/projects',
    testset: '/testsets',
    testcase: '/testcases',
    system: '/systems',
    systemVersion: '/systems/versions',
    metric: '/metrics',
    metricGroup: '/metric-groups',
    monitor: '/monitors',
    run: '/runs',
    record: '/records',
  };
  for (const { kind, to } of answers) {
    if (!paths[kind]) continue;
    const { status } = await request('GET', `${paths[kind]}/${to}`, undefined, as);
    expect(status, kind).toBe(404);
  }
}

describe('a file that is not whole', () => {
  test.each([0.2, 0.5, 0.9])('is told so, and leaves nothing: cut at %f of it', async (share) => {
    const as = asAnotherOrganization();
    const lines = file.split('\n');
    const cut = `${lines.slice(0, Math.floor(lines.length * share)).join('\n')}\n`;
    const answer = await importOf(cut, as);
    expect(failureOf(answer)).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('is not whole'),
    });
    await expectNothing(linesOf(answer).slice(0, -1), as);
  });

  test('is told so where a line is missing, another, or changed', async () => {
    const lines = file.trimEnd().split('\n');
    const at = lines.findIndex((line) => line.startsWith('{"kind":"record"'));
    const changed = [...lines];
    changed[at] = lines[at]!.replace('"metrics":{', '"metrics": {');
    for (const wrong of [lines.toSpliced(at + 3, 1), changed]) {
      const as = asAnotherOrganization();
      const answer = await importOf(`${wrong.join('\n')}\n`, as);
      expect(failureOf(answer).message).toMatch(/changed or is damaged|record before it/);
      await expectNothing(linesOf(answer).slice(0, -1), as);
    }
  });

  test('shows nothing while it comes in, and leaves nothing where its sender goes away', async () => {
    const as = asAnotherOrganization();
    const path = '/projects/import';
    const sending = openRequest(`${world().urls.transfers}${path}`, {
      method: 'POST',
      headers: {
        ...world().sealed('POST', path, as.identity),
        'content-type': 'application/x-ndjson',
        'transfer-encoding': 'chunked',
      },
    });
    sending.on('error', () => undefined);
    const answered = new Promise<{ kind: string; to: string }[]>((resolve) => {
      sending.on('response', (response) => {
        response.on('error', () => undefined);
        response.once('data', (chunk) => resolve(linesOf({ text: String(chunk) })));
      });
    });
    const lines = file.split('\n');
    sending.write(`${lines.slice(0, -4).join('\n')}\n`);
    const answers = await answered;
    expect(answers.map(({ kind }) => kind)).toContain('project');
    await expectNothing(answers, as);
    sending.destroy();
    await poll('the import is abandoned', async () => {
      const { status } = await request(
        'POST',
        '/internal/imports/prolong',
        { projectId: answers[0]!.to },
        { identity: { ...as.identity, role: 'service' } },
      ).then(({ body }) => ({ status: body.found }));
      return !status;
    });
    await expectNothing(answers, as);
  });
});

describe('a file that is wrong', () => {
  const runId = newId();
  const text = (value: object) => JSON.stringify(value);
  const metricIds = [newId()];
  const metricLine = text({
    kind: 'metric',
    id: metricIds[0],
    name: 'm',
    description: null,
    versionId: newId(),
    config: { evalType: 'human', outputType: 'boolean', guidelines: '' },
  });

  test.each<[string, string, number, RegExp]>([
    ['an empty file', '', 400, /no end line after 0 lines/],
    [
      'a file of another tool',
      '{"question":"q"}\n',
      400,
      /Line 1: .*not the header of an exported project/,
    ],
    ['no JSON', 'a,b\n1,2\n', 400, /Line 1: /],
    [
      'a later version',
      fileOf(header.replace('"version":1', '"version":2'), project),
      400,
      /Line 1: .*version.*up to version 1/,
    ],
    [
      'no project',
      fileOf(header, text(runLine(runId))),
      400,
      /Line 2: .*second line is the project/,
    ],
    [
      'an unknown kind',
      fileOf(header, project, '{"kind":"trace","id":1}'),
      400,
      /Line 3: .*"trace".*later/,
    ],
    [
      'the kind of an inherited member',
      fileOf(header, project, '{"kind":"constructor"}'),
      400,
      /Line 3: .*"constructor"/,
    ],
    [
      'a record before its run',
      fileOf(header, project, text(recordLine({}))),
      400,
      /Line 3: .*run that an earlier line has/,
    ],
    [
      'two runs of one id',
      fileOf(header, project, text(runLine(runId)), text(runLine(runId))),
      400,
      /Line 4: .*earlier line/,
    ],
    ['two projects', fileOf(header, project, project), 400, /Line 3: .*second time/],
    [
      'an id of another form',
      fileOf(header, project, text(runLine('../../x'))),
      400,
      /Line 3: .*id/,
    ],
    [
      'a value that is none of its metric',
      fileOf(
        header,
        project,
        text({
          ...runLine(runId),
          metrics: [
            {
              metricVersionId: newId(),
              metricId: newId(),
              name: 'm',
              evalType: 'human',
              outputType: 'boolean',
              passingThreshold: 7,
              isScoredByService: false,
              evalModelName: null,
              annotators: 1,
            },
          ],
        }),
      ),
      400,
      /Line 3: .*passingThreshold/,
    ],
    [
      'two records of one client id',
      fileOf(
        header,
        project,
        text(runLine(runId)),
        ...[1, 2].map(() => text(recordLine({ runId, clientId: 'c' }))),
      ),
      400,
      /^In lines 3 to 5: .*clientId/,
    ],
    [
      'a monitor of a metric that the file does not have',
      fileOf(header, project, text(runLine(runId)), text(monitorLine({}))),
      400,
      /Line 4: .*metricIds\/0.*metric that the file has/,
    ],
    [
      'a monitor without a metric',
      fileOf(header, project, text(monitorLine({ metricIds: [] }))),
      400,
      /Line 3: .*metricIds/,
    ],
    [
      'a monitor that takes more than all',
      fileOf(header, project, text(monitorLine({ sampleRate: 2 }))),
      400,
      /Line 3: .*sampleRate/,
    ],
    [
      'two monitors of one description',
      fileOf(header, project, metricLine, ...[1, 2].map(() => text(monitorLine({ metricIds })))),
      400,
      /^In lines 4 to 5: .*description of another monitor/,
    ],
    [
      'a schema that is none',
      fileOf(
        header,
        project,
        text({
          kind: 'testset',
          id: newId(),
          name: 't',
          description: '',
          jsonSchema: { type: 1 },
          fieldMapping: { inputs: [], expected: [], metadata: [] },
          version: 1,
          baselineRunId: null,
        }),
      ),
      400,
      /^Line 3: .*jsonSchema/,
    ],
  ])('%s is refused with a sentence, and leaves nothing', async (_, wrong, status, sentence) => {
    const as = asAnotherOrganization();
    const failure = failureOf(await importOf(wrong, as));
    expect(failure.status).toBe(status);
    expect(failure.message).toMatch(sentence);
    expect(await projectsOf(as)).toEqual([]);
  });

  test('ids of another organization lead nowhere', async () => {
    const { testset, baseline } = await createProject(transfers);
    const as = asAnotherOrganization();
    const stolen = { ...runLine(runId), testsetId: testset.id, systemVersionId: null };
    const answer = await importOf(
      fileOf(header, project, text(stolen), text(recordLine({ runId, testcaseId: baseline.id }))),
      as,
    );
    const made = linesOf(answer).find(({ kind }) => kind === 'run');
    const { body } = await request('GET', `/runs/${made.to}`, undefined, as);
    expect(body.testsetId).not.toBe(testset.id);
    expect((await request('GET', `/testsets/${body.testsetId}`, undefined, as)).status).toBe(404);
  });
});

describe('a project that is exported', () => {
  test('is a 404 where it does not exist, or is another organization’s', async () => {
    const { project } = await createProject(transfers);
    expect((await exportOf(missingId)).status).toBe(404);
    expect((await exportOf(project.id, asAnotherOrganization())).status).toBe(404);
  });

  test('has another name where one is given, and answers without a line for each id', async () => {
    const as = asAnotherOrganization();
    const answer = await importOf(file, { ...as, query: '?name=Copy&answers=summary' });
    const [done, ...others] = linesOf(answer);
    expect(others).toEqual([]);
    expect(done).toMatchObject({ done: true, counts: { project: 1, run: 2 } });
    expect((await request('GET', `/projects/${done.projectId}`, undefined, as)).body.name).toBe(
      'Copy',
    );
  });
});

describe('an import under an Idempotency-Key', () => {
  test('gives the first answer again, and makes one project', async () => {
    const as = asAnotherOrganization();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await importOf(file, { ...as, headers });
    const second = await importOf(file, { ...as, headers });
    expect(linesOf(second)).toEqual(linesOf(first));
    const replayed = [first, second].map((each) => each.headers.get('idempotent-replayed'));
    expect(replayed).toEqual([null, 'true']);
    expect(await projectsOf(as)).toHaveLength(1);
    const another = await importOf(fileOf(header, project), { ...as, headers });
    expect(failureOf(another)).toMatchObject({ status: 409, code: 'CONFLICT' });
    expect(await projectsOf(as)).toHaveLength(1);
  });

  test('can be repeated after it failed', async () => {
    const as = asAnotherOrganization();
    const headers = { 'idempotency-key': randomUUID() };
    await importOf(file.slice(0, -100), { ...as, headers });
    const repeated = await importOf(file, { ...as, headers });
    expect(linesOf(repeated).at(-1)).toMatchObject({ done: true });
    expect(await projectsOf(as)).toHaveLength(1);
  });
});

test('two imports of one file at once make two projects', async () => {
  const as = asAnotherOrganization();
  const answers = await Promise.all([importOf(file, as), importOf(file, as)]);
  for (const answer of answers) expect(linesOf(answer).at(-1)).toMatchObject({ done: true });
  expect(await projectsOf(as)).toHaveLength(2);
});
