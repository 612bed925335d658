import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { poll } from '@assay/testing/poll';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';

/** A picture of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describeInBrowser('a record', (stage) => {
  let projectId: string;
  let metricId: string;
  let runId: string;
  let recordId: string;
  const make = async (path: string, body: unknown) => {
    const reply = await stage.assay.call('POST', path, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.body;
  };
  beforeAll(async () => {
    projectId = (await make('/projects', { name: 'Capitals', description: '' })).id;
    const metric = { name: 'Same', evalType: 'heuristic', outputType: 'boolean' };
    metricId = (
      await make(`/projects/${projectId}/metrics`, { ...metric, builtin: { name: 'exact_match' } })
    ).id;
    runId = (await make(`/projects/${projectId}/runs`, { metricIds: [metricId] })).id;
    recordId = (
      await make(`/runs/${runId}/records`, {
        inputs: { country: 'Norway' },
        expected: { capital: 'Oslo' },
        outputs: { answer: 'oslo' },
        sessionId: 'chat/1 %41',
      })
    ).id;
    await poll('the record is scored', async () => (await scores()).length > 0);
  });
  const scores = async () =>
    (await stage.assay.call('GET', `/records/${recordId}`)).body.scores as {
      source: string;
      score: { value: boolean };
    }[];

  async function attach(filename: string, contentType: string, content: Buffer) {
    const { id, uploadUrl } = await make('/attachments', {
      sessionId: 'chat/1 %41',
      filePath: `files/${filename}`,
      filename,
      contentType,
      sizeBytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    const headers = { 'content-type': contentType };
    const body = new Uint8Array(content);
    expect((await fetch(uploadUrl, { method: 'PUT', body, headers })).status).toBe(200);
    await make(`/attachments/${id}/commit`, {});
  }

  test('gives its answer the room: beside what was expected, or alone, with its scores in sight', async () => {
    const whole = await make(`/runs/${runId}/records`, {
      inputs: { country: 'Sweden' },
      expected: { capital: 'Stockholm' },
      outputs: { answer: 'word '.repeat(20_000) },
    });
    const alone = await make(`/runs/${runId}/records`, {
      inputs: { country: 'Denmark' },
      expected: {},
      outputs: { answer: 'Copenhagen' },
    });
    await using visit = await stage.visit({ width: 1440, height: 900 });
    const { page } = visit;
    const pane = (name: string) => page.getByRole('region', { name, exact: true });
    const widthOf = async (name: string) => (await pane(name).boundingBox())?.width ?? 0;
    await visit.open(`/projects/${projectId}/records/${whole.id}`);
    await visit.quiet();
    await expect.poll(() => widthOf('Outputs')).toBeGreaterThan(400);
    expect(await widthOf('Expected')).toBeCloseTo(await widthOf('Outputs'), 0);
    expect(await page.evaluate('document.documentElement.scrollHeight / innerHeight')).toBeLessThan(
      2,
    );
    await page.mouse.move(1, 1);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await expect
      .poll(
        async () => (await page.getByRole('heading', { name: 'Scores' }).boundingBox())?.y ?? -1,
      )
      .toBeGreaterThanOrEqual(0);
    await visit.open(`/projects/${projectId}/records/${alone.id}`);
    await page.getByText('Nothing was expected').waitFor();
    await expect.poll(() => widthOf('Outputs')).toBeGreaterThan(800);
    expect(await pane('Expected').count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });

  test('lists the files of its session, which are downloaded, and pictures shown, without a request elsewhere', async () => {
    await attach('page.html', 'text/html', Buffer.from('<script>alert(1)</script>'));
    await attach('pixel.png', 'image/png', pixel);
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`/projects/${projectId}/records/${recordId}`);
    const files = page.getByRole('region', { name: 'Session files' });
    await files.getByText('text/html · 25 B').waitFor();
    await expect.poll(() => files.getByRole('listitem').count()).toBe(2);
    const coming = page.waitForEvent('download');
    await files.getByRole('button', { name: 'Download page.html' }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe('page.html');
    expect(await readFile(await download.path(), 'utf8')).toBe('<script>alert(1)</script>');
    expect(await files.getByRole('button', { name: 'Show page.html' }).count()).toBe(0);
    await files.getByRole('button', { name: 'Show pixel.png' }).click();
    await files.getByRole('img', { name: 'pixel.png' }).waitFor();
    const picture = "document.querySelector('main img')";
    await expect.poll(() => page.evaluate(`${picture}.naturalWidth`)).toBe(1);
    expect(await page.evaluate(`${picture}.src`)).toMatch(/^blob:/);
    await files.getByRole('button', { name: 'Show pixel.png' }).click();
    await expect.poll(() => files.getByRole('img').count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });

  test('of a session without files, or of none, says so or nothing', async () => {
    const lonely = await make(`/runs/${runId}/records`, {
      inputs: {},
      expected: {},
      outputs: {},
      sessionId: 'empty',
    });
    await using visit = await stage.visit();
    await visit.open(`/projects/${projectId}/records/${lonely.id}`);
    await visit.page.getByText('The session has no files.').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('says nothing of scores before it knows the metrics of its run, and then moves nothing', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    let mayCome = false;
    await page.route('**/summary*', async (route) => {
      await expect.poll(() => mayCome).toBe(true);
      await route.continue();
    });
    await visit.open(`/projects/${projectId}/records/${recordId}`);
    await page.getByText('oslo', { exact: true }).waitFor();
    const aside = page.getByRole('complementary');
    expect(await aside.textContent()).toBe('');
    mayCome = true;
    const tags = aside.getByRole('region', { name: 'Tags' });
    await tags.waitFor();
    const place = await tags.boundingBox();
    await aside.getByRole('heading', { name: 'Same' }).waitFor();
    expect(await tags.boundingBox()).toEqual(place);
    expect(visit.complaints).toEqual([]);
  });

  test('takes a score of a person in place of the service’s, and has the service make its own anew', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`/projects/${projectId}/records/${recordId}`);
    const given = page.getByRole('region', { name: 'Scores' });
    await given.getByText('✗').waitFor();
    await given.getByRole('button', { name: 'Override' }).click();
    await given.getByLabel('Value').selectOption({ label: 'pass' });
    await given.getByLabel('Reason').fill('The same city');
    await given.getByRole('button', { name: 'Save' }).click();
    await given.getByText('The same city').waitFor();
    await given.getByText('By a person').waitFor();
    expect((await scores())[0]).toMatchObject({ source: 'human', score: { value: true } });
    await given.getByRole('button', { name: 'Rescore' }).click();
    await given.getByText('✗').waitFor();
    await expect
      .poll(async () => (await scores())[0])
      .toMatchObject({ source: 'heuristic', score: { value: false } });
    expect(visit.complaints).toEqual([]);
  });

  test('says which score is of an older version of its metric, and leads to the versions', async () => {
    const changed = await stage.assay.call('PATCH', `/metrics/${metricId}`, {
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: { ignoreCase: true } },
    });
    expect(changed.status, changed.text).toBe(200);
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`/projects/${projectId}/records/${recordId}`);
    await page.getByRole('link', { name: 'An older version of the metric' }).waitFor();
    await make(`/runs/${runId}/rescore`, {});
    await poll('the new version has a score', async () => (await scores()).length === 2);
    await page.reload();
    const older = page.getByRole('article').filter({ hasText: 'An older version of the metric' });
    await older.first().waitFor();
    await expect.poll(() => older.count()).toBe(1);
    await expect.poll(() => page.getByRole('article').filter({ hasText: 'Same' }).count()).toBe(2);
    await older.getByRole('link').click();
    await page.getByRole('link', { name: 'Versions' }).waitFor();
    expect(page.url()).toContain(`/metrics/${metricId}?tab=versions`);
  });

  test('on paper has its payloads and scores, black on white, and nothing to press', async () => {
    await using visit = await stage.visit({ theme: 'dark' });
    const { page } = visit;
    await visit.open(`/projects/${projectId}/records/${recordId}`);
    const inputs = page.getByRole('region', { name: 'Inputs', exact: true });
    await inputs.getByText('Norway').waitFor();
    await page.getByRole('region', { name: 'Scores' }).getByRole('article').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    await inputs.getByText('Norway').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('navigation').count()).toBe(0);
    expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(
      'rgb(255, 255, 255)',
    );
  });
});
