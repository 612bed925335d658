import { nearForms } from './baseline-forms.ts';
import { type Client, listAll, orUndefined } from './client.ts';
import {
  choose,
  didYouMean,
  findNamed,
  isId,
  LookupFailure,
  NoBaselineYet,
  nearNames,
  type Project,
  type Testset,
  unknownName,
} from './named.ts';
import {
  type Candidate,
  candidateOf,
  type NewestSearch,
  type Run,
  searchNewest,
  warningOfChoice,
} from './newest-run.ts';
import { printable } from './printable.ts';

export type { Run } from './newest-run.ts';

/** The ways to name a baseline, for helps and errors. */
export const baselineForms =
  "an id, a name, branch:NAME, latest:NAME, production, or baseline (the testset's own)";

/** The wanted object, and the name or id of its project; all are searched where none is named. */
export interface Search {
  client: Client;
  wanted: string;
  project: string | undefined;
}

/** The project of this id or name. @throws LookupFailure */
export const findProject = async (
  client: Client,
  wanted: string,
  remedy?: string,
): Promise<Project> =>
  choose(await listAll(client, '/projects'), { kind: 'project', wanted, remedy });

/** The project that is named, else all. @throws LookupFailure */
export const projectsOf = async (client: Client, wanted: string | undefined): Promise<Project[]> =>
  wanted === undefined ? listAll(client, '/projects') : [await findProject(client, wanted)];

/** The testset of this id or name in a project. @throws LookupFailure */
export const findTestset = async (
  client: Client,
  wanted: string,
  { id: projectId }: Pick<Project, 'id'>,
): Promise<Testset> =>
  choose(await listAll(client, '/projects/:projectId/testsets', { params: { projectId } }), {
    kind: 'testset',
    wanted,
  });

/**
 * Finds the run of this id or name, or the newest completed one of `branch:NAME` or `latest:NAME`.
 * @throws LookupFailure
 */
export async function findRun(search: Search): Promise<Run> {
  const { client, wanted, project } = search;
  const newest = newestForm.exec(wanted);
  if (newest)
    return findNewest({
      client,
      projects: await projectsOf(client, project),
      form: formOf(newest),
    });
  const found = await seekRun(search);
  if (found) return found;
  throw (await missingRun(search)).failure;
}

/** The failure for a run that is not there, and the recent runs that may be meant. */
async function missingRun({ client, wanted, project }: Search) {
  if (isId(wanted)) {
    const told = `There is no run ${wanted}: it was deleted, or is of another organization.`;
    return { failure: new LookupFailure(told), recent: undefined };
  }
  const recent = await recentRuns(client, await projectsOf(client, project));
  const names = recent.flatMap(({ name }) => name ?? []);
  return { failure: unknownName({ kind: 'run', wanted }, names), recent };
}

/** The run of this id or name; undefined where there is none. */
export async function seekRun({ client, wanted, project }: Search): Promise<Run | undefined> {
  if (isId(wanted))
    return orUndefined(client.request('GET', '/runs/:runId', { params: { runId: wanted } }));
  const named: Run[] = [];
  for (const { id: projectId } of await projectsOf(client, project))
    named.push(
      ...(await listAll(client, '/projects/:projectId/runs', {
        params: { projectId },
        query: { name: wanted },
      })),
    );
  return findNamed(named, { kind: 'run', wanted });
}

/** The testset on which runs are compared, and the run that is no baseline of itself. */
export interface Surroundings {
  testsetId: string | null;
  /** Undefined where the run is still to be made. */
  ownRunId: string | undefined;
  /** The system of the candidate, where it is known. */
  systemId: string | null;
  /** The testcases of a run that is still to be made, where these are not all of the testset. */
  testcaseIds?: string[] | undefined;
  /** The metrics of a run that is still to be made. */
  metricIds?: string[] | undefined;
  /** Told which runs were passed over, and why the run that is named would be. */
  tell?: ((sentence: string) => void) | undefined;
}

/**
 * Finds the run to compare with, as `findRun` does, among the runs of the same testset; also the
 * newest completed one of the production version, and the baseline of the testset.
 * @throws LookupFailure
 */
export async function findBaseline(search: Search & Surroundings): Promise<Run> {
  const { client, wanted, project, testsetId, systemId, tell = () => undefined } = search;
  const newest = newestForm.exec(wanted);
  if (!newest && wanted !== 'production' && wanted !== 'baseline')
    return withWarning(await findNamedBaseline(search), search);
  if (testsetId === null)
    throw new LookupFailure(
      `The candidate has no testset, so that "${printable(wanted)}" tells no baseline: give the id of a run.`,
    );
  const testset = await testsetOf({ client, testsetId, project });
  const candidate = candidateOf({ ...search, testsetId });
  const place = { client, projects: [{ id: testset.projectId }], testset, candidate, tell };
  if (newest) return findNewest({ ...place, form: formOf(newest) });
  if (wanted === 'production') return findProduction({ ...place, systemId });
  if (testset.baselineRunId !== null)
    return withWarning(await findRun({ client, project, wanted: testset.baselineRunId }), search);
  throw new NoBaselineYet(
    `The testset "${printable(testset.name)}" has no baseline: make a run its baseline in the console, or give the id of a run.`,
  );
}

/** Tells why a search would pass over a run that is named, or set by hand. */
async function withWarning(run: Run, search: Search & Surroundings): Promise<Run> {
  const { client, project, testsetId, tell } = search;
  if (!tell || testsetId === null || run.testsetId !== testsetId) return run;
  const candidate = candidateOf({ ...search, testsetId });
  if (run.id === candidate.runId) return run;
  const testset = await testsetOf({ client, testsetId, project }).catch(() => undefined);
  const warning = testset && (await warningOfChoice(client, testset, { run, candidate }));
  if (warning !== undefined) tell(warning);
  return run;
}

/**
 * @throws NoBaselineYet where neither a run nor a branch has the name or one near to it, and the name
 * is no slip in a word such as `production` either.
 */
async function findNamedBaseline(search: Search): Promise<Run> {
  const { wanted } = search;
  const found = await seekRun(search);
  if (found) return found;
  const { failure, recent } = await missingRun(search);
  if (!recent) throw failure;
  const branches = new Set(recent.flatMap(({ labels }) => labels?.branch ?? []));
  const ofBranches = nearNames(wanted, [...branches]).map((branch) => `branch:${branch}`);
  const runs = failure.near;
  const near = [...nearForms(wanted), ...(runs.length > 0 ? runs : ofBranches)];
  throw near.length > 0
    ? new LookupFailure(`There is no run "${printable(wanted)}". ${didYouMean(near)}`, near)
    : new NoBaselineYet(failure.message);
}

/** A testset with its project, which only the lists of projects tell. */
export type FoundTestset = Testset & { projectId: string };

/** The testset of this id, with its project. @throws LookupFailure where it was deleted. */
export async function testsetOf({
  client,
  testsetId,
  project,
}: {
  client: Client;
  testsetId: string;
  project: string | undefined;
}): Promise<FoundTestset> {
  for (const { id: projectId } of await projectsOf(client, project))
    for await (const testset of client.list('/projects/:projectId/testsets', {
      params: { projectId },
    }))
      if (testset.id === testsetId) return { ...testset, projectId };
  const where = project === undefined ? '' : ` in the project "${printable(project)}"`;
  throw new LookupFailure(
    `The testset of the candidate, ${testsetId}, is not there${where}: it was deleted, or is of another project.`,
  );
}

const newestForm = /^(branch|latest):(.*)$/s;

/** Whether this names the newest run of some kind, in place of one certain run. */
export const meansNewest = (wanted: string): boolean =>
  wanted === 'production' || newestForm.test(wanted);

interface NewestForm {
  kind: 'branch' | 'latest';
  name: string;
}

const formOf = ([, kind, name]: RegExpExecArray): NewestForm => ({
  kind: kind as NewestForm['kind'],
  name: name!,
});

/** The projects to search, and the testset of the wanted run where it is known. */
interface Place {
  client: Client;
  projects: Pick<Project, 'id'>[];
  testset?: FoundTestset | undefined;
  candidate?: Candidate | undefined;
  tell?: (sentence: string) => void;
}

async function findNewest({ form, ...place }: Place & { form: NewestForm }): Promise<Run> {
  const { kind, name } = form;
  if (name === '')
    throw new LookupFailure(`"${kind}:" has no name: is the variable set that it comes from?`);
  const found = await newestOf(place, kind === 'branch' ? { label: `branch:${name}` } : { name });
  if (found) return found;
  const { client, projects, testset, candidate } = place;
  const where = testset ? ` on the testset "${printable(testset.name)}"` : '';
  const others = (await recentRuns(client, projects, testset)).filter(
    ({ id }) => id !== candidate?.runId,
  );
  const names = new Set(
    others.flatMap((run) => (kind === 'branch' ? run.labels?.branch : run.name) ?? []),
  );
  const near = nearNames(name, [...names]).filter((other) => other !== name);
  const none = noneOf(form, where);
  if (near.length > 0)
    throw new LookupFailure(`${none} ${didYouMean(near.map((other) => `${kind}:${other}`))}`, near);
  const told = `${none} ${remedies[kind](printable(name))}`;
  throw names.has(name) ? new LookupFailure(told) : new NoBaselineYet(told);
}

const noneOf = ({ kind, name }: NewestForm, where: string): string =>
  kind === 'branch'
    ? `No other run with the label "branch:${printable(name)}" is completed${where}.`
    : `No other run that is called "${printable(name)}" is completed${where}.`;

const remedies: Record<NewestForm['kind'], (name: string) => string> = {
  branch: () => 'Evaluate that branch first, or give the id of a run.',
  latest: (name) => `Give "branch:${name}" for a branch of git, or the id of a run.`,
};

/**
 * The newest run of these properties that can be compared with the candidate.
 * @throws LookupFailure where there are some, and all were passed over.
 */
async function newestOf(
  { client, projects, testset, candidate, tell = () => undefined }: Place,
  wanted: NewestSearch,
): Promise<Run | undefined> {
  const passedOver: string[] = [];
  for (const { id: projectId } of projects) {
    const testsetId = testset?.id;
    const found = await searchNewest(client, { projectId, testsetId, wanted, candidate });
    passedOver.push(...found.passedOver);
    if (!found.run) continue;
    for (const sentence of passedOver) tell(sentence);
    return found.run;
  }
  if (passedOver.length === 0) return undefined;
  throw new LookupFailure(
    `No run was found that can be compared with the candidate. ${passedOver.slice(0, passedOverShown).join(' ')}`,
  );
}

/** Sentences on runs that were passed over, where none was taken. */
const passedOverShown = 3;

async function findProduction({
  systemId,
  ...place
}: Place & { testset: FoundTestset; systemId: string | null }): Promise<Run> {
  const { client, testset } = place;
  const system = await productionSystem(client, testset.projectId, systemId);
  const found = await newestOf(place, { systemVersionId: system.productionVersion.id });
  if (found) return found;
  throw new NoBaselineYet(
    `No other run of the production version of "${printable(system.name)}" is completed on the testset "${printable(testset.name)}": run it there first, or give the id of a run.`,
  );
}

async function productionSystem(client: Client, projectId: string, systemId: string | null) {
  if (systemId !== null)
    return client.request('GET', '/systems/:systemId', { params: { systemId } });
  const systems = await listAll(client, '/projects/:projectId/systems', { params: { projectId } });
  const [only, ...others] = systems;
  if (only && others.length === 0) return only;
  throw only
    ? new LookupFailure(
        `The candidate is of no system, and the project has ${systems.length}: give the id of a run as the baseline.`,
      )
    : new NoBaselineYet(
        'The project has no system, so that there is no production version: give the id of a run as the baseline.',
      );
}

/** Runs of each project that are looked at for names like the wanted one. */
const recentMax = 100;

async function recentRuns(
  client: Client,
  projects: Pick<Project, 'id'>[],
  testset?: Pick<Testset, 'id'>,
): Promise<Run[]> {
  const pages = await Promise.all(
    projects.map(({ id: projectId }) =>
      client.request('GET', '/projects/:projectId/runs', {
        params: { projectId },
        query: { limit: recentMax, ...(testset ? { testsetId: testset.id } : {}) },
      }),
    ),
  );
  return pages.flatMap(({ data }) => data);
}
