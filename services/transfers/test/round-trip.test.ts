import { describe, expect, test } from 'vitest';
import {
  asAnotherOrganization,
  createProject,
  linesOf,
  useTransfers,
  withoutIds,
} from './transferred-project.ts';

const transfers = useTransfers();
const { exportOf, importOf, request } = transfers;

const doneOf = (reply: { text: string }) => linesOf(reply).at(-1);

describe('a project with one of everything', () => {
  test('is equal but for ids after export, import and export, in its own organization', async () => {
    const { project } = await createProject(transfers);
    const first = await exportOf(project.id);
    expect(first.status).toBe(200);
    const imported = await importOf(first.text);
    const done = doneOf(imported);
    expect(done).toMatchObject({ done: true });
    expect(done.projectId).not.toBe(project.id);
    const second = await exportOf(done.projectId);
    expect(withoutIds(second.text)).toEqual(withoutIds(first.text));
  });

  test('is equal but for ids in another organization, and neither sees what is the other’s', async () => {
    const { project, baseline } = await createProject(transfers);
    const elsewhere = asAnotherOrganization();
    const first = await exportOf(project.id);
    const imported = await importOf(first.text, elsewhere);
    const done = doneOf(imported);
    const second = await exportOf(done.projectId, elsewhere);
    const comparable = (text: string) =>
      withoutIds(
        text
          .replaceAll(/^\{"kind":"(member|end)".*\n/gm, '')
          .replaceAll(/"assignees":\[[^\]]*\]/g, ''),
      );
    expect(comparable(second.text)).toEqual(comparable(first.text));
    expect((await exportOf(done.projectId)).status).toBe(404);
    expect((await exportOf(project.id, elsewhere)).status).toBe(404);
    const { to } = linesOf(imported).find(({ from }) => from === baseline.id);
    expect((await request('GET', `/runs/${to}`)).status).toBe(404);
    expect((await request('GET', `/runs/${to}`, undefined, elsewhere)).status).toBe(200);
  });

  test('has the summaries, comparisons and accounts of the original', async () => {
    const { project, baseline, candidate } = await createProject(transfers);
    const imported = await importOf((await exportOf(project.id)).text);
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
});
