import { type Client, listAll } from '@assay/client/client';
import { nearNames } from '@assay/client/named';
import type { ItemOf, ReplyOf } from '@assay/client/operations';
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
/** Projects whose parts are searched: each takes one request. */
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
    'Finds projects, testsets, metrics, systems and runs by words of the name, the newest first; runs by a label such as commit:4f7c2aa; anything by its id. Where nothing has the name, answers what has one near to it.',
  effect: 'read',
  input: z.object({
    text: z.string().min(1).max(256).describe('Words of a name, a label, or an id.'),
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
    const unanswered = new Set<string>();
    for (const project of searched) {
      if (found.length >= foundMax) break;
      const { named, missing } = await readNamed(api, project.id, text);
      found.push(...named);
      for (const kind of missing) unanswered.add(kind);
    }
    const isNear = found.length === 0;
    if (isNear) for (const { id } of searched) seen.push(...(await newestNames(api, id)));
    const all = isNear ? nearOnes(text, seen) : found;
    const unique = [...new Map(all.map((one) => [one.id, one])).values()].slice(0, foundMax);
    const part =
      found.length < foundMax && searched.length < projects.length
        ? ` Only the newest ${searchedMax} of ${projects.length} projects were searched for what they have: give projectId for another.`
        : '';
    const without =
      unanswered.size > 0
        ? ` Not searched, since their service did not answer: each ${[...unanswered].join(', ')}.`
        : '';
    return fit((characters) => ({
      summary: `${summaryOf({ isNear, count: unique.length, hasMore: all.length > foundMax })}${part}${without}`,
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

const kinds = ['run', 'testset', 'metric', 'system'] as const;

/** The things of a project that have this name, the newest first, and its runs of this label. */
async function readNamed(
  api: Client,
  projectId: string,
  text: string,
): Promise<{ named: Match[]; missing: string[] }> {
  const params = { projectId };
  const isLabel = /^[^:]{1,64}:./u.test(text);
  const [{ names, missing }, labelled] = await Promise.all([
    api.request('GET', '/projects/:projectId/names', {
      params,
      query: { text, kind: [...kinds], newest: foundMax + 1 },
    }),
    isLabel
      ? api.request('GET', '/projects/:projectId/runs', {
          params,
          query: { limit: 20, label: text },
        })
      : undefined,
  ]);
  const runs = (labelled?.data ?? []).map((run): Match => ({ kind: 'run', ...matched(run) }));
  return { named: [...matches(names), ...runs].map((one) => ({ ...one, projectId })), missing };
}

/** The newest names of a project, among which one may be near to the text. */
async function newestNames(api: Client, projectId: string): Promise<Match[]> {
  const { names } = await api.request('GET', '/projects/:projectId/names', {
    params: { projectId },
    query: { kind: ['testset', 'metric', 'system'], newest: 100 },
  });
  return matches(names).map((one) => ({ ...one, projectId }));
}

type NamedThing = ReplyOf<'GET', '/projects/:projectId/names'>['names'][number];

const matches = (names: NamedThing[]): Match[] =>
  names.flatMap((thing) => {
    const kind = kinds.find((one) => one === thing.kind);
    return kind ? [{ kind, ...matched(thing) }] : [];
  });

const matched = ({
  id,
  name,
  expiredAt,
}: {
  id: string;
  name?: string | null;
  expiredAt?: string;
}) => ({ id, name: name ?? '', expiredAt });

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
