import { type Client, listAll } from '@assay/client/client';
import type { ItemOf, ReplyOf } from '@assay/client/operations';
import { sentInstant } from '@assay/contracts/fields';
import { statedScale } from '@assay/contracts/scale';
import { z } from 'zod';
import { fit } from '../answer.ts';
import { label } from '../marks.ts';
import { defineTool, items, notice, summary, type ToolContext } from '../tool.ts';
import { type Project, projectsOf } from './find.ts';

type Run = ItemOf<'/projects/:projectId/runs'>;
type RunResult = ReplyOf<'POST', '/run-summaries'>['items'][number];

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
    from: sentInstant().optional().describe('Only runs that were made then or later.'),
    to: sentInstant().optional().describe('Only runs that were made before.'),
  }),
  output: z.object({
    summary,
    notice,
    organization: z.string(),
    role: z.string(),
    projects: items,
  }),
  async run({ projectId, from, to }, context) {
    const { api, marks } = context;
    const made = { ...(from ? { from } : {}), ...(to ? { to } : {}) };
    const [me, projects] = await Promise.all([
      api.request('GET', '/me'),
      projectsOf(api, projectId),
    ]);
    const [opened, others] = [projects.slice(0, openedMax), projects.slice(openedMax, projectsMax)];
    const size = opened.length === 1 ? 15 : 5;
    const parts = await Promise.all(
      opened.map((project) => readProject(context, project, { size, made })),
    );
    const count = `${projects.length} ${projects.length === 1 ? 'project' : 'projects'}`;
    const listed =
      projects.length > projectsMax ? `, of which the newest ${projectsMax} are listed` : '';
    return fit(
      (characters) => ({
        summary: `${count}${listed}. ${others.length > 0 ? 'Ask for one by projectId to see what it has; find looks for the others by name.' : 'Continue with run_status, list_records or compare_runs.'}`,
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

async function readProject(
  { api, links }: ToolContext,
  { id, name }: Project,
  { size, made }: { size: number; made: { from?: string; to?: string } },
) {
  const params = { projectId: id };
  const [testsets, metrics, runs] = await Promise.all([
    listAll(api, '/projects/:projectId/testsets', { params }),
    listAll(api, '/projects/:projectId/metrics', { params }),
    api.request('GET', '/projects/:projectId/runs', {
      params,
      query: { ...made, limit: size },
    }),
  ]);
  const newest = <Part>(parts: Part[]): Part[] => parts.toReversed().slice(0, size);
  const results = await readResults(api, runs.data);
  return (characters: number) => ({
    id,
    name: label(name, characters),
    link: links.project(id),
    testsets: newest(testsets).map((one) => ({ id: one.id, name: label(one.name, characters) })),
    metrics: newest(metrics).map((metric) => ({
      id: metric.id,
      name: label(metric.name, characters),
      evalType: metric.evalType,
      outputType: metric.outputType,
      ...statedScale(metric),
    })),
    latestRuns: runs.data.map((run) => ({
      ...shortRun(run, characters),
      errorRate: results.get(run.id)?.errors.mean,
      results: (results.get(run.id)?.metrics ?? []).slice(0, 5).map((metric) => ({
        name: label(metric.name, characters),
        ...statedScale(metric),
        passRate: metric.passRate,
        mean: metric.mean,
      })),
    })),
    more: [
      ...(testsets.length > size ? ['testsets'] : []),
      ...(metrics.length > size ? ['metrics'] : []),
      ...(runs.hasMore ? ['runs'] : []),
    ],
  });
}

async function readResults(api: Client, runs: Run[]): Promise<Map<string, RunResult>> {
  if (runs.length === 0) return new Map();
  const { items } = await api.request('POST', '/run-summaries', {
    body: { runIds: runs.map(({ id }) => id) },
  });
  return new Map(items.map((item) => [item.runId, item]));
}

const shortRun = (run: Run, characters: number) => ({
  id: run.id,
  name: run.name === undefined ? undefined : label(run.name, Math.min(characters, 100)),
  testsetId: run.testsetId,
  status: run.status,
  expiredAt: run.expiredAt,
  createdAt: run.createdAt,
  records: run.numRecords,
});
