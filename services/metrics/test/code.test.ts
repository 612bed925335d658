import { createCodeSandbox } from '@assay/code-sandbox/sandbox';
import { describe, expect, test } from 'vitest';
import { builtin, code, useMetrics } from './setting.ts';

const { create, request, newProject, newMetric, change } = useMetrics({
  config: { CODE_CHECK_TIMEOUT_MS: 1000 },
});

describe('code of a metric', () => {
  test('cannot stand beside a built-in evaluator, at creation and at change', async () => {
    const projectId = await newProject();
    const both = { builtin, code };
    const message =
      'cannot stand beside `builtin`: a metric has either a built-in evaluator or code';
    const refused = await create(projectId, {
      name: 'm',
      evalType: 'heuristic',
      outputType: 'float',
      ...both,
    });
    expect([refused.status, refused.body.details.issues]).toEqual([
      400,
      [{ path: '/code', message }],
    ]);
    const metric = await newMetric(projectId, {
      evalType: 'heuristic',
      outputType: 'float',
      builtin,
    });
    const changed = await change(metric, both);
    expect([changed.status, changed.body.details.issues]).toEqual([
      400,
      [{ path: '/code', message }],
    ]);
    const wrongToo = await change(metric, { builtin: { ...builtin, name: 'none' }, code });
    expect(wrongToo.body.details.issues.map(({ path }: { path: string }) => path).sort()).toEqual([
      '/builtin/name',
      '/code',
    ]);
    expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
  });

  test.each([
    ['javascript', 'function evaluate() { return true }\nconst x = ;', 2],
    ['typescript', 'function evaluate(): boolean { return true }\n\nconst x: = 1;', 3],
  ])(
    'in %s that does not parse is refused at creation and at change, with line and column',
    async (language, source, line) => {
      const projectId = await newProject();
      const issue = {
        path: '/code/source',
        line,
        column: expect.any(Number),
        message: expect.any(String),
      };
      const refused = await create(projectId, {
        name: 'm',
        evalType: 'heuristic',
        outputType: 'float',
        code: { language, source },
      });
      expect([refused.status, refused.body.details.issues]).toEqual([400, [issue]]);
      const metric = await newMetric(projectId, {
        evalType: 'heuristic',
        outputType: 'float',
        code,
      });
      const changed = await change(metric, { code: { language, source } });
      expect([changed.status, changed.body.details.issues]).toEqual([400, [issue]]);
      expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
    },
  );

  test.each([
    ['that defines no evaluate', 'const value = 1;', /evaluate/],
    [
      'that fails before it is called',
      'function evaluate() { return true }\nthrow new Error("no table");',
      /no table/,
    ],
    ['that never ends', 'for (;;) {}', /longer than 1000 ms/],
  ])('%s is refused, and so is a change to it', async (_, source, message) => {
    const projectId = await newProject();
    const refused = await create(projectId, {
      name: 'm',
      evalType: 'heuristic',
      outputType: 'boolean',
      code: { ...code, source },
    });
    expect([refused.status, refused.body.details.issues]).toEqual([
      400,
      [expect.objectContaining({ path: '/code/source', message: expect.stringMatching(message) })],
    ]);
    const metric = await newMetric(projectId, { evalType: 'heuristic', code });
    expect((await change(metric, { code: { ...code, source } })).body.details).toEqual(
      refused.body.details,
    );
  });

  test('that waits for its check when the client goes is not taken unchecked', async () => {
    const projectId = await newProject();
    const send = (source: string, signal?: AbortSignal) =>
      request(
        'POST',
        `/projects/${projectId}/metrics`,
        { name: 'm', evalType: 'heuristic', outputType: 'boolean', code: { ...code, source } },
        signal ? { signal } : {},
      );
    const leaving = new AbortController();
    const endless = send('for (;;) {}');
    const left = send('for (;;) {}', leaving.signal);
    const last = send('for (;;) {}');
    const listed = async () => (await request('GET', `/projects/${projectId}/metrics`)).body;
    await listed();
    leaving.abort();
    await expect(left).rejects.toThrow();
    expect([(await endless).status, (await last).status]).toEqual([400, 400]);
    expect(await listed()).toMatchObject({ data: [] });
  });

  test('in Python is checked where Python can run, and taken as it is elsewhere', async () => {
    const sandbox = createCodeSandbox({});
    const { python } = await sandbox.availability();
    await sandbox.close();
    const source = 'def evaluate(record):\n    return record[\n';
    const reply = await create(await newProject(), {
      name: 'm',
      evalType: 'heuristic',
      outputType: 'boolean',
      code: { language: 'python', source },
    });
    if (python.available)
      expect([reply.status, reply.body.details.issues[0]]).toMatchObject([
        400,
        { path: '/code/source', line: 2 },
      ]);
    else expect([reply.status, reply.body.code]).toEqual([201, { language: 'python', source }]);
  });

  test('comes back as it was sent: no character of it is lost', async () => {
    const source = 'function evaluate() { return true } // "\\u0000" \t é 語 😀 $a.b\r\n';
    const metric = await newMetric(await newProject(), {
      evalType: 'heuristic',
      code: { ...code, source },
    });
    expect((await request('GET', `/metrics/${metric.id}`)).body.code).toEqual({ ...code, source });
  });
});

describe('code that waits for its check longer than it may', () => {
  const { create, newProject } = useMetrics({
    config: { CODE_CHECK_TIMEOUT_MS: 1000, CODE_CHECK_WAIT_MS: 100 },
  });

  test('is sent away with the reason and may come again, instead of waiting until nobody listens', async () => {
    const projectId = await newProject();
    const source = 'for (;;) {}';
    const metric = { name: 'm', evalType: 'heuristic', outputType: 'boolean' };
    const replies = await Promise.all(
      [1, 2].map(() => create(projectId, { ...metric, code: { ...code, source } })),
    );
    const sentAway = replies.find(({ status }) => status === 503);
    expect(replies.map(({ status }) => status).sort()).toEqual([400, 503]);
    expect(sentAway?.body.message).toBe(
      'Too much code of your organization is being checked at the moment.',
    );
    expect(sentAway?.headers.get('retry-after')).toBe('1');
  });
});
