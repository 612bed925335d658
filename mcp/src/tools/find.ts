import { type Client, listAll } from '@assay/client/client';
import { nearNames } from '@assay/client/named';
import type { ItemOf } from '@assay/client/operations';
import { z } from 'zod';
import { type Answer, fit } from '../answer.ts';
import { label } from '../marks.ts';
import { defineTool, items, notice, summary } from '../tool.ts';

export type Project = ItemOf<'/projects'>;

interface NamedItem {
  id: string;
  name: string;
}

const foundMax = 25;
/** Projects whose parts are searched: each is asked for four lists. */
const searchedMax = 30;

interface Match extends NamedItem {
  kind: 'project' | 'testset' | 'metric' | 'system' | 'run' | 'record';
  projectId?: string | undefined;
  /** Of a run that has expired. */
  expiredAt?: string | undefined;
}

export const find = defineTool({
  name: 'find',
  title: 'Find',
  description:
    'Finds projects, testsets, metrics, systems and runs by a part of the name, the newest first; runs by a label such as commit:4f7c2aa; anything by its id. Where nothing has the name, answers what has one near to it.',
  effect: 'read',
  input: z.object({
    text: z.string().min(1).max(256).describe('A part of a name, a label, or an id.'),
    projectId: z.string().min(1).max(256).optional().describe('Only in this project.'),
  }),
  output: z.object({ summary, notice, found: items }),
  async run({ text, projectId }, context): Promise<Answer> {
    const { api, links, marks } = context;
    const projects = await projectsOf(api, projectId);
    const found = await byId(api, text);
    const seen: Match[] = projects.map(({ id, name }) => ({ kind: 'project', id, name }));
    const holds = ({ name }: NamedItem) => name.toLowerCase().includes(text.toLowerCase());
    found.push(...seen.filter(holds));
    const searched = projects.slice(0, searchedMax);
    for (const project of searched) {
      if (found.length >= foundMax) break;
      const { parts, runs } = await readParts(api, project.id, text);
      seen.push(...parts);
      found.push(...parts.filter(holds), ...runs);
    }
    const isNear = found.length === 0;
    const all = isNear ? nearOnes(text, seen) : found;
    const unique = [...new Map(all.map((one) => [one.id, one])).values()].slice(0, foundMax);
    const part =
      found.length < foundMax && searched.length < projects.length
        ? ` Only the newest ${searchedMax} of ${projects.length} projects were searched for what they have: give projectId for another.`
        : '';
    return fit((characters) => ({
      summary: `${summaryOf({ isNear, count: unique.length, hasMore: all.length > foundMax })}${part}`,
      notice: marks.notice,
      found: unique.map(({ kind, id, name, expiredAt, projectId: of }) => ({
        kind,
        id,
        name: label(name, Math.min(characters, 100)),
        projectId: of,
        expiredAt,
        link: kind === 'project' ? links.project(id) : links.of(of, `${kind}s`, id),
      })),
    }));
  },
});

function summaryOf({
  isNear,
  count,
  hasMore,
}: {
  isNear: boolean;
  count: number;
  hasMore: boolean;
}): string {
  if (!isNear) return `${count}${hasMore ? ' or more' : ''} found.`;
  return count === 0
    ? 'Nothing is called so: overview lists what there is.'
    : `Nothing is called so: the names of these ${count} are near.`;
}

/** Whatever has a name near to the text, the nearest first. */
const nearOnes = (text: string, seen: Match[]): Match[] =>
  nearNames(text, [...new Set(seen.map(({ name }) => name))]).flatMap((near) =>
    seen.filter(({ name }) => name === near),
  );

/** The testsets, metrics and systems of a project, and its runs of this name or label. */
async function readParts(
  api: Client,
  projectId: string,
  text: string,
): Promise<{ parts: Match[]; runs: Match[] }> {
  const kinds = (['testset', 'metric', 'system'] as const).map(async (kind) => {
    const all = await listAll(api, `/projects/:projectId/${kind}s`, { params: { projectId } });
    return all.toReversed().map(({ id, name }): Match => ({ kind, id, name, projectId }));
  });
  const isLabel = /^[^:]{1,64}:./u.test(text);
  const query = { limit: 20, ...(isLabel ? { label: text } : { name: text }) };
  const runs = api
    .request('GET', '/projects/:projectId/runs', { params: { projectId }, query })
    .then(({ data }) =>
      data.map(
        ({ id, name, expiredAt }): Match => ({
          kind: 'run',
          id,
          name: name ?? '',
          projectId,
          expiredAt,
        }),
      ),
    );
  return { parts: (await Promise.all(kinds)).flat(), runs: await runs };
}

async function byId(api: Client, text: string): Promise<Match[]> {
  if (!/^[0-9a-zA-Z_-]{20,64}$/.test(text)) return [];
  const kinds = ['project', 'testset', 'metric', 'system', 'run', 'record'] as const;
  const readings: Record<Match['kind'], () => Promise<Partial<Match>>> = {
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
      return one ? [{ kind, id: text, name: one.name ?? '', expiredAt: one.expiredAt }] : [];
    }),
  );
  return found.flat();
}

/** The project that is named, else all, the newest first. */
export const projectsOf = async (api: Client, projectId: string | undefined): Promise<Project[]> =>
  projectId === undefined
    ? (await listAll(api, '/projects')).toReversed()
    : [await api.request('GET', '/projects/:projectId', { params: { projectId } })];
