import { newKey } from '@assay/runtime/api-key';
import {
  type Attack,
  fill,
  get,
  headOf,
  hold,
  lines,
  ndjson,
  newMetric,
  newProject,
  newRun,
  newTestset,
  post,
  record,
  repeat,
  repeatSteps,
  shown,
} from '../attack.ts';

/** Attacks by which one organization once stopped all others. */
export const hostileAttacks: Attack[] = [
  {
    name: 'lists with filters of many tags',
    prepare: async (attacker) => {
      const runId = await newRun(attacker.call, await newProject(attacker.call));
      const tags = Array.from({ length: 50 }, (_, index) => `t${index}`);
      for (let count = 0; count < 4; count++)
        await fill(attacker, runId, { ...record, tags }, 5000);
      const query = `limit=1${Array.from({ length: 24 }, (_, index) => `&tags=t${index},t49`).join('')}&tags=zz`;
      return repeat(attacker, 48, [get('listRecords', `/runs/${runId}/records?${query}`)]);
    },
  },
  {
    name: 'bodies that stop half way',
    prepare: async (attacker) => {
      const head = headOf(attacker, '/projects', {
        'content-type': 'application/json',
        'content-length': 256 * 1024,
      });
      const beginning = Buffer.concat([Buffer.from(head), Buffer.alloc(256 * 1024 - 1, 0x20)]);
      return hold(attacker, { kind: 'createProject half way', connections: 560 }, beginning);
    },
  },
  {
    name: 'uploads that stop',
    prepare: async (attacker) => {
      const runId = await newRun(attacker.call, await newProject(attacker.call));
      const head = headOf(attacker, `/runs/${runId}/records/bulk`, {
        'content-type': ndjson,
        'transfer-encoding': 'chunked',
      });
      return hold(
        attacker,
        { kind: 'createRecords half way', connections: 600 },
        Buffer.from(`${head}1\r\n{\r\n`),
      );
    },
  },
  {
    name: 'uploads of tiny lines',
    prepare: async (attacker) => {
      const runId = await newRun(attacker.call, await newProject(attacker.call));
      // An upload ends after so many wrong lines in a row, and the line that says so.
      const answered = 10_001;
      return repeat(attacker, 2, [
        {
          kind: 'createRecords',
          method: 'POST',
          path: `/runs/${runId}/records/bulk`,
          body: '{}\n'.repeat(256 * 1024),
          type: ndjson,
          rows: lines(answered),
        },
      ]);
    },
  },
  {
    name: 'previews of prompts that never end',
    prepare: async (attacker) => {
      const { call } = attacker;
      const projectId = await newProject(call);
      const metricId = await newMetric(call, projectId, {
        evalType: 'ai',
        promptTemplate: '{{ outputs.answer }}',
      });
      const runId = await newRun(call, projectId, [metricId]);
      const [versionId] = (await call('GET', `/runs/${runId}`)).metricVersionIds;
      for (let count = 0; count < 20; count++) {
        const { id } = await call('POST', `/runs/${runId}/records`, record);
        await call('PUT', `/records/${id}/scores/${versionId}`, { score: { binaryScore: true } });
      }
      const promptTemplate =
        '{% set a = range(100000)|list %}{% for i in range(1000) %}{% set z = a | tojson %}{% endfor %}';
      return repeat(attacker, 4, [
        post('previewMetric', `/metrics/${metricId}/preview`, {
          runId,
          limit: 20,
          change: { evalType: 'ai', outputType: 'boolean', promptTemplate },
        }),
      ]);
    },
  },
  {
    name: 'code that never ends',
    prepare: async (attacker) => {
      const { call } = attacker;
      const projectId = await newProject(call);
      const code = { language: 'javascript', source: 'function evaluate() { for (;;); }' };
      const kind = 'createRecords scored by code that never ends';
      return repeatSteps(attacker, { atOnce: 1, kinds: [kind] }, async (send) => {
        // Another metric each time: code that ran out of time often is left alone.
        const metricId = await newMetric(call, projectId, { evalType: 'heuristic', code });
        const runIds: string[] = [];
        for (let count = 0; count < 6; count++) {
          const runId = await newRun(call, projectId, [metricId]);
          await fill(attacker, runId, record, 60);
          runIds.push(runId);
        }
        for (const runId of runIds) {
          await new Promise((resolve) => setTimeout(resolve, 800));
          const waiting = shown(1, ({ scoring }) => scoring.pending + scoring.failed);
          await send(get(kind, `/runs/${runId}`, waiting));
        }
      });
    },
  },
  {
    name: 'checks of code that never ends',
    prepare: async (attacker) => {
      const projectId = await newProject(attacker.call);
      const code = { language: 'javascript', source: 'for (;;);' };
      const metric = { name: 'Attack', evalType: 'heuristic', outputType: 'boolean', code };
      // Fewer than may wait for their check, which is seconds long: both kinds have their turn.
      return repeat(attacker, 8, [
        { ...post('createMetric', `/projects/${projectId}/metrics`, metric), status: 400 },
        post('checkMetric', `/projects/${projectId}/metrics/check`, metric),
      ]);
    },
  },
  {
    name: 'schemas that double at each level',
    prepare: async (attacker) => {
      const projectId = await newProject(attacker.call);
      const branch = { properties: { x: { $ref: '#/$defs/a' } } };
      const $defs = { a: { anyOf: [{ ...branch, required: ['y'] }, branch] } };
      const testsets: string[] = [];
      for (let count = 0; count < 16; count++) {
        const jsonSchema = { $comment: String(count), $defs, $ref: '#/$defs/a' };
        testsets.push(await newTestset(attacker.call, projectId, { jsonSchema }));
      }
      const body = `{"items":[{"jsonData":${'{"x":'.repeat(100)}1${'}'.repeat(100)}}]}`;
      return repeat(
        attacker,
        16,
        testsets.map((id) => ({
          kind: 'createTestcases',
          method: 'POST',
          path: `/testsets/${id}/testcases`,
          body,
        })),
      );
    },
  },
  {
    name: 'large patterns',
    prepare: async (attacker) => {
      const projectId = await newProject(attacker.call);
      const builtin = { name: 'regex_match', options: { pattern: 'a{1000}'.repeat(285) } };
      const metric = { name: 'Attack', evalType: 'heuristic', outputType: 'boolean', builtin };
      return repeat(attacker, 10, [
        { ...post('createMetric', `/projects/${projectId}/metrics`, metric), status: 400 },
      ]);
    },
  },
  {
    name: 'keys that nobody has',
    prepare: async (attacker) =>
      repeatSteps(attacker, { atOnce: 64, kinds: ['listProjects'] }, (send) =>
        send({
          kind: 'listProjects',
          method: 'GET',
          path: '/projects',
          key: newKey(),
          status: 401,
        }),
      ),
  },
];
