import type { Client } from '@assay/client/client';
import type { ItemOf, ReplyOf } from '@assay/client/operations';
import { statedScale } from '@assay/contracts/scale';
import { z } from 'zod';
import { type Answer, fit } from '../answer.ts';
import { label } from '../marks.ts';
import { defineTool, items, notice, summary, type ToolContext } from '../tool.ts';

interface NamedItem {
  id: string;
  name: string;
}
type Run = ItemOf<'/projects/:projectId/runs'>;
type MetricResult = RunResults[number]['metrics'][number];
type RunResults = ReplyOf<'POST', '/run-summaries'>['items'];

const overviewTokensMax = 4_000;
const projectsMax = 20;
/** Projects whose parts are listed where none is named. */
const openedMax = 3;

export const overview = defineTool({
  name: 'overview',
  title: 'Overview',
  description:
    'Tells whose key this is, and lists projects with their testsets, metrics and latest runs with results. Call it first.',
  effect: 'read',
  input: z.object({
    projectId: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('One project, with more of its parts.'),
  }),
  output: z.object({
    summary,
    notice,
    organization: z.string(),
    role: z.string(),
    projects: items,
  }),
  async run({ projectId }, context) {
    const { api, marks } = context;
    const [me, projects] = await Promise.all([
      api.request('GET', '/me'),
      projectId === undefined
        ? api.request('GET', '/projects', { query: { limit: projectsMax } })
        : api
            .request('GET', '/projects/:projectId', { params: { projectId } })
            .then((project) => ({ data: [project], hasMore: false })),
    ]);
    const opened = projects.data.slice(0, openedMax);
    const size = opened.length === 1 ? 15 : 5;
    const parts = await Promise.all(opened.map((project) => readProject(context, project, size)));
    const others = projects.data.slice(openedMax);
    return fit(
      (characters) => ({
        summary: `${projects.data.length}${projects.hasMore ? ' or more' : ''} projects. ${others.length > 0 ? 'Ask for one by projectId to see what it has.' : 'Go on with run_status, list_records or compare_runs.'}`,
        notice: marks.notice,
        organization: label(me.organization.name),
        role: me.role,
        projects: [
          ...parts.map((part) => part(characters)),
          ...others.map(({ id, name }) => ({ id, name: label(name, characters) })),
        ],
      }),
      overviewTokensMax,
    );
  },
});

async function readProject({ api, links }: ToolContext, { id, name }: NamedItem, size: number) {
  const page = { params: { projectId: id }, query: { limit: size } };
  const [testsets, metrics, runs] = await Promise.all([
    api.request('GET', '/projects/:projectId/testsets', page),
    api.request('GET', '/projects/:projectId/metrics', page),
    api.request('GET', '/projects/:projectId/runs', page),
  ]);
  const results = await readResults(api, runs.data);
  return (characters: number) => ({
    id,
    name: label(name, characters),
    link: links.project(id),
    testsets: testsets.data.map((one) => ({ id: one.id, name: label(one.name, characters) })),
    metrics: metrics.data.map((metric) => ({
      id: metric.id,
      name: label(metric.name, characters),
      evalType: metric.evalType,
      outputType: metric.outputType,
      ...statedScale(metric),
    })),
    latestRuns: runs.data.map((run) => ({
      ...shortRun(run, characters),
      results: (results.get(run.id) ?? []).slice(0, 5).map((metric) => ({
        name: label(metric.name, characters),
        ...statedScale(metric),
        passRate: metric.passRate,
        mean: metric.mean,
      })),
    })),
    more: [
      ...(testsets.hasMore ? ['testsets'] : []),
      ...(metrics.hasMore ? ['metrics'] : []),
      ...(runs.hasMore ? ['runs'] : []),
    ],
  });
}

async function readResults(api: Client, runs: Run[]): Promise<Map<string, MetricResult[]>> {
  if (runs.length === 0) return new Map();
  const { items } = await api.request('POST', '/run-summaries', {
    body: { runIds: runs.map(({ id }) => id) },
  });
  return new Map(items.map(({ runId, metrics }) => [runId, metrics]));
}

const shortRun = (run: Run, characters: number) => ({
  id: run.id,
  name: run.name === undefined ? undefined : label(run.name, Math.min(characters, 100)),
  testsetId: run.testsetId,
  status: run.status,
  createdAt: run.createdAt,
  records: run.numRecords,
});

const foundMax = 25;

interface Match extends NamedItem {
  kind: 'project' | 'testset' | 'metric' | 'system' | 'run' | 'record';
  projectId?: string | undefined;
}

export const find = defineTool({
  name: 'find',
  title: 'Find',
  description:
    'Finds projects, testsets, metrics, systems and runs by a part of the name; runs by a label such as commit:4f7c2aa; anything by its id.',
  effect: 'read',
  input: z.object({
    text: z.string().min(1).max(256).describe('A part of a name, a label, or an id.'),
    projectId: z.string().min(1).max(256).optional().describe('Only in this project.'),
  }),
  output: z.object({ summary, notice, found: items }),
  async run({ text, projectId }, context): Promise<Answer> {
    const { api, links, marks } = context;
    const projects =
      projectId === undefined
        ? (await api.request('GET', '/projects', { query: { limit: 100 } })).data
        : [await api.request('GET', '/projects/:projectId', { params: { projectId } })];
    const found: Match[] = await byId(api, text);
    const holds = ({ name }: NamedItem) => name.toLowerCase().includes(text.toLowerCase());
    found.push(...projects.filter(holds).map((one) => ({ ...one, kind: 'project' as const })));
    for (const project of projects) {
      if (found.length >= foundMax) break;
      found.push(...(await inProject(api, project.id, text, holds)));
    }
    const unique = [...new Map(found.map((one) => [one.id, one])).values()].slice(0, foundMax);
    return fit((characters) => ({
      summary:
        unique.length === 0
          ? 'Nothing is called so: overview lists what there is.'
          : `${unique.length}${found.length > foundMax ? ' or more' : ''} found.`,
      notice: marks.notice,
      found: unique.map(({ kind, id, name, projectId: of }) => ({
        kind,
        id,
        name: label(name, Math.min(characters, 100)),
        projectId: of,
        link: kind === 'project' ? links.project(id) : links.of(of, `${kind}s`, id),
      })),
    }));
  },
});

async function inProject(
  api: Client,
  projectId: string,
  text: string,
  holds: (named: NamedItem) => boolean,
): Promise<Match[]> {
  const parts = (['testset', 'metric', 'system'] as const).map(async (kind) => {
    const { data } = await api.request('GET', `/projects/:projectId/${kind}s`, {
      params: { projectId },
      query: { limit: 100 },
    });
    return data.filter(holds).map(({ id, name }) => ({ kind, id, name, projectId }));
  });
  const isLabel = /^[^:]{1,64}:./u.test(text);
  const query = { limit: 20, ...(isLabel ? { label: text } : { name: text }) };
  const runs = api
    .request('GET', '/projects/:projectId/runs', { params: { projectId }, query })
    .then(({ data }) =>
      data.map(({ id, name }) => ({ kind: 'run' as const, id, name: name ?? '', projectId })),
    );
  return (await Promise.all([...parts, runs])).flat();
}

async function byId(api: Client, text: string): Promise<Match[]> {
  if (!/^[0-9a-zA-Z_-]{20,64}$/.test(text)) return [];
  const kinds = ['project', 'testset', 'metric', 'system', 'run', 'record'] as const;
  const readings: Record<Match['kind'], () => Promise<{ name?: string | undefined }>> = {
    project: () => api.request('GET', '/projects/:projectId', { params: { projectId: text } }),
    testset: () => api.request('GET', '/testsets/:testsetId', { params: { testsetId: text } }),
    metric: () => api.request('GET', '/metrics/:metricId', { params: { metricId: text } }),
    system: () => api.request('GET', '/systems/:systemId', { params: { systemId: text } }),
    run: () => api.request('GET', '/runs/:runId', { params: { runId: text } }),
    record: async () => {
      const params = { recordId: text };
      await api.request('GET', '/records/:recordId', { params, query: { preview: 0 } });
      return {};
    },
  };
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const one = await readings[kind]().catch((error: { status?: number }) => {
        if (error.status === 404 || error.status === 400) return undefined;
        throw error;
      });
      return one ? [{ kind, id: text, name: one.name ?? '' }] : [];
    }),
  );
  return found.flat();
}
