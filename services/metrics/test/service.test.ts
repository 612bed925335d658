import { startWorld } from '@assay/testing/world';
import { describe, expect, test } from 'vitest';
import { builtin, code, judged, services, useMetrics } from './setting.ts';

const { request, create, newProject, newMetric, change, currentVersion } = useMetrics();

const defaults = { description: null, guidelines: '' };
const threshold = { int: { passingThreshold: 4 }, float: { passingThreshold: 0.9 }, boolean: {} };

const sources = {
  typescript: code.source,
  javascript: 'function evaluate({ outputs }) { return outputs.response === "yes" }',
  python: 'def evaluate(record):\n    return record["outputs"]["response"] == "yes"\n',
};

/**
 * What is sent, and what comes back besides it: the nine shapes, the heuristic ones with an
 * evaluator and without.
 */
const shapes = [
  ...(['int', 'float', 'boolean'] as const).flatMap((outputType) => [
    [
      { evalType: 'ai', outputType, promptTemplate: judged.promptTemplate },
      { ...defaults, ...judged, ...threshold[outputType] },
    ] as const,
    [
      { evalType: 'human', outputType },
      { ...defaults, ...threshold[outputType] },
    ] as const,
    [
      { evalType: 'heuristic', outputType },
      { ...defaults, ...threshold[outputType] },
    ] as const,
  ]),
  [
    {
      evalType: 'ai',
      outputType: 'int',
      guidelines: 'strict',
      description: 'd',
      passingThreshold: 2,
      ...judged,
      evalModelName: 'm',
      temperature: null,
    },
    {},
  ] as const,
  [
    {
      evalType: 'ai',
      outputType: 'float',
      description: '',
      passingThreshold: 0,
      ...judged,
      temperature: 2,
    },
    { guidelines: '' },
  ] as const,
  [
    { evalType: 'ai', outputType: 'boolean', ...judged, votes: 9, seed: 2_147_483_647 },
    defaults,
  ] as const,
  [{ evalType: 'ai', outputType: 'boolean', ...judged, votes: 1, seed: 0 }, defaults] as const,
  [{ evalType: 'human', outputType: 'float', passingThreshold: 1 }, defaults] as const,
  [{ evalType: 'human', outputType: 'boolean', annotators: 1 }, defaults] as const,
  [{ evalType: 'human', outputType: 'boolean', annotators: 20 }, defaults] as const,
  ...(['typescript', 'javascript', 'python'] as const).map(
    (language) =>
      [
        {
          evalType: 'heuristic',
          outputType: 'boolean',
          code: { language, source: sources[language] },
        },
        defaults,
      ] as const,
  ),
  [
    { evalType: 'heuristic', outputType: 'float', builtin },
    { ...defaults, ...threshold.float },
  ] as const,
  [
    { evalType: 'heuristic', outputType: 'boolean', builtin: { name: 'exact_match' } },
    defaults,
  ] as const,
  [
    { evalType: 'heuristic', outputType: 'boolean', builtin: { name: 'exact_match', options: {} } },
    defaults,
  ] as const,
] as const;

describe('a metric', () => {
  test.each(shapes)(
    'of the shape %j comes back with its fields and no others',
    async (sent, added) => {
      const projectId = await newProject();
      const created = await create(projectId, { name: 'm', ...sent, other: 1 });
      expect(created.status).toBe(201);
      expect(created.body).toEqual({ id: expect.any(String), name: 'm', ...sent, ...added });
      expect((await request('GET', `/metrics/${created.body.id}`)).text).toBe(created.text);
      expect((await request('GET', `/projects/${projectId}/metrics`)).body.data).toEqual([
        created.body,
      ]);
      expect((await change(created.body, {})).text).toBe(created.text);
      const { evalType, outputType, ...fields } = { ...sent, ...added };
      expect((await change(created.body, { name: 'n', ...fields })).body).toEqual({
        ...created.body,
        name: 'n',
      });
    },
  );

  test.each([
    [{ evalType: 'ai', outputType: 'int' }, '/promptTemplate', 'is required'],
    [
      { evalType: 'ai', outputType: 'int', promptTemplate: '' },
      '/promptTemplate',
      'must have at least 1 character',
    ],
    [
      { evalType: 'ai', outputType: 'int', ...judged, temperature: 2.1 },
      '/temperature',
      'must be at most 2',
    ],
    [
      { evalType: 'human', outputType: 'int', passingThreshold: 6 },
      '/passingThreshold',
      'must be a whole number from 1 to 5',
    ],
    [
      { evalType: 'human', outputType: 'int', passingThreshold: 0 },
      '/passingThreshold',
      'must be a whole number from 1 to 5',
    ],
    [
      { evalType: 'human', outputType: 'int', passingThreshold: 4.5 },
      '/passingThreshold',
      expect.stringContaining('must be an integer'),
    ],
    [
      { evalType: 'human', outputType: 'float', passingThreshold: 1.1 },
      '/passingThreshold',
      'must be a number from 0 to 1',
    ],
    [
      { evalType: 'heuristic', outputType: 'boolean', builtin: { name: 'nothing' } },
      '/builtin/name',
      expect.any(String),
    ],
    [{ evalType: 'heuristic', outputType: 'int', builtin }, '/builtin/name', expect.any(String)],
    [
      { evalType: 'heuristic', outputType: 'boolean', builtin },
      '/builtin/options/threshold',
      expect.any(String),
    ],
    [
      {
        evalType: 'heuristic',
        outputType: 'boolean',
        builtin: { name: 'json_schema', options: { schema: { type: 'strng' } } },
      },
      '/builtin/options/schema/type',
      expect.any(String),
    ],
    [{ evalType: 'ai', outputType: 'int', ...judged, votes: 0 }, '/votes', 'must be at least 1'],
    [{ evalType: 'ai', outputType: 'int', ...judged, votes: 11 }, '/votes', 'must be at most 9'],
    [{ evalType: 'ai', outputType: 'int', ...judged, votes: 2 }, '/votes', 'must be odd'],
    [
      { evalType: 'ai', outputType: 'int', ...judged, votes: 1.5 },
      '/votes',
      expect.stringContaining('must be an integer'),
    ],
    [{ evalType: 'ai', outputType: 'int', ...judged, votes: null }, '/votes', expect.any(String)],
    [{ evalType: 'ai', outputType: 'int', ...judged, seed: -1 }, '/seed', 'must be at least 0'],
    [
      { evalType: 'ai', outputType: 'int', ...judged, seed: 2_147_483_648 },
      '/seed',
      'must be at most 2147483647',
    ],
    [{ evalType: 'human', outputType: 'int', annotators: 0 }, '/annotators', 'must be at least 1'],
    [{ evalType: 'human', outputType: 'int', annotators: 21 }, '/annotators', 'must be at most 20'],
    [
      { evalType: 'heuristic', outputType: 'int', code: { ...code, language: 'ruby' } },
      '/code/language',
      'must be one of "typescript", "javascript", "python"',
    ],
    [
      { evalType: 'heuristic', outputType: 'int', code: { language: 'python' } },
      '/code/source',
      'is required',
    ],
    [
      { evalType: 'heuristic', outputType: 'int', code: { ...code, source: '' } },
      '/code/source',
      'must have at least 1 character',
    ],
    [
      { evalType: 'heuristic', outputType: 'int', code: { ...code, source: '/'.repeat(65_537) } },
      '/code/source',
      'must have at most 65536 characters',
    ],
    [{ evalType: 'toString', outputType: 'int' }, '/evalType', expect.any(String)],
    [{ evalType: 'ai', ...judged }, '/outputType', expect.any(String)],
  ])('like %j is refused at its place', async (body, path, message) => {
    const reply = await create(await newProject(), { name: 'm', ...body });
    expect(reply.status).toBe(400);
    expect(reply.body.details.issues[0]).toEqual({ path, message });
    expect(reply.body.details.issues.map((issue: { path: string }) => issue.path)).toEqual(
      reply.body.details.issues.map(() => path),
    );
  });

  test.each([
    ['ai', judged, { votes: 4 }, '/votes', 'must be odd'],
    ['ai', judged, { seed: 0.5 }, '/seed', expect.any(String)],
    ['human', {}, { annotators: 30 }, '/annotators', 'must be at most 20'],
    [
      'heuristic',
      { code },
      { code: { ...code, source: '' } },
      '/code/source',
      'must have at least 1 character',
    ],
    [
      'heuristic',
      { code },
      { code: { source: code.source } },
      '/code/language',
      expect.any(String),
    ],
  ])(
    'of the type %s and with %j is not changed to %j',
    async (evalType, parts, refused, path, message) => {
      const metric = await newMetric(await newProject(), { evalType, ...parts });
      const reply = await change(metric, refused);
      expect([reply.status, reply.body.details.issues]).toEqual([400, [{ path, message }]]);
      expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
    },
  );

  test('with a template that does not parse is refused at creation and at change, with line and column', async () => {
    const projectId = await newProject();
    const promptTemplate = 'Question:\n  {% if inputs.question %}\n{{ inputs.question }}';
    const issue = {
      path: '/promptTemplate',
      line: 2,
      column: 3,
      message: 'has `{% if %}` without its `{% endif %}`',
    };
    const refused = await create(projectId, {
      name: 'm',
      evalType: 'ai',
      outputType: 'int',
      promptTemplate,
    });
    expect([refused.status, refused.body.details.issues]).toEqual([400, [issue]]);
    const metric = await newMetric(projectId, { evalType: 'ai', ...judged });
    const changed = await change(metric, { promptTemplate });
    expect([changed.status, changed.body.details.issues]).toEqual([400, [issue]]);
    expect((await request('GET', `/metrics/${metric.id}`)).body).toEqual(metric);
  });

  test('with a template that names an unknown variable is refused at creation and at change, with its place and the known names', async () => {
    const projectId = await newProject();
    const promptTemplate = 'Question: {{ inputs.question }}\nAnswer: {{ output.response }}';
    const message = expect.stringMatching(/\boutput\b.*\binputs\b.*\bexpected\b.*\boutputs\b/);
    const issue = { path: '/promptTemplate', line: 2, column: 12, message };
    const refused = await create(projectId, {
      name: 'm',
      evalType: 'ai',
      outputType: 'int',
      promptTemplate,
    });
    expect([refused.status, refused.body.details.issues]).toEqual([400, [issue]]);
    const metric = await newMetric(projectId, { evalType: 'ai', ...judged });
    const changed = await change(metric, { promptTemplate });
    expect([changed.status, changed.body.details.issues]).toEqual([400, [issue]]);
  });

  test('that is boolean ignores a threshold, even one that none could have', async () => {
    const metric = await newMetric(await newProject(), { passingThreshold: 99 });
    expect(metric).not.toHaveProperty('passingThreshold');
    expect((await change(metric, { passingThreshold: 'x' })).body).toEqual(metric);
  });

  test('cannot change its types, and says what they are', async () => {
    const metric = await newMetric(await newProject());
    const reply = await request('PATCH', `/metrics/${metric.id}`, {
      evalType: 'ai',
      outputType: 'int',
      promptTemplate: '{{',
    });
    expect(reply.status).toBe(400);
    expect(reply.body.details.issues).toEqual([
      { path: '/evalType', message: "must be the metric's own, human" },
      { path: '/outputType', message: "must be the metric's own, boolean" },
      expect.objectContaining({ path: '/promptTemplate', line: 1, column: 1 }),
    ]);
    const one = await request('PATCH', `/metrics/${metric.id}`, {
      evalType: 'human',
      outputType: 'float',
    });
    expect(one.body.details.issues.map(({ path }: { path: string }) => path)).toEqual([
      '/outputType',
    ]);
    for (const [body, path] of [
      [{ name: 'x', outputType: 'boolean' }, '/evalType'],
      [{ name: 'x', evalType: 'human' }, '/outputType'],
    ] as const) {
      const lacking = await request('PATCH', `/metrics/${metric.id}`, body);
      expect([lacking.status, lacking.body.details.issues[0].path]).toEqual([400, path]);
    }
  });

  test('keeps the options of its evaluator as they were sent, whatever their names', async () => {
    const projectId = await newProject();
    const schema =
      '{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"__proto__":{"type":"string"},"a.$b":{},"toString":{}}}';
    const raw = `{"name":"m","evalType":"heuristic","outputType":"boolean","builtin":{"name":"json_schema","options":{"schema":${schema}}}}`;
    const created = await request('POST', `/projects/${projectId}/metrics`, undefined, { raw });
    expect(created.status).toBe(201);
    expect(created.text).toContain(`"options":{"schema":${schema}}`);
    expect((await request('GET', `/metrics/${created.body.id}`)).text).toBe(created.text);
    const { builtin } = await currentVersion(projectId, created.body.id);
    expect(String(builtin!.options)).toBe(`{"schema":${schema}}`);
  });

  test('is listed newest first, page by page', async () => {
    const projectId = await newProject();
    const made = [];
    for (const name of ['c', 'a', 'b']) made.unshift(await newMetric(projectId, { name }));
    const page = (await request('GET', `/projects/${projectId}/metrics?limit=2`)).body;
    expect(page.hasMore).toBe(true);
    const rest = (
      await request('GET', `/projects/${projectId}/metrics?limit=2&cursor=${page.nextCursor}`)
    ).body;
    expect([...page.data, ...rest.data]).toEqual(made);
    expect(rest.nextCursor).toBe(null);
  });

  test('may have the name of another, and the configured model judges where none is named', async () => {
    await using other = await startWorld({
      services,
      config: { DEFAULT_JUDGE_MODEL: 'small-1' },
    });
    const projectId = (await other.request('POST', '/projects', { name: 'p', description: '' }))
      .body.id;
    const body = { name: 'm', evalType: 'ai', outputType: 'boolean', promptTemplate: 'x' };
    for (const _ of [1, 2]) {
      const reply = await other.request('POST', `/projects/${projectId}/metrics`, body);
      expect([reply.status, reply.body.evalModelName]).toEqual([201, 'small-1']);
    }
  });
});
