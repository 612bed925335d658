import { type Client, RequestFailure } from '@assay/client/client';
import { type Run as NamedRun, testsetOf } from '@assay/client/find';
import { partOfRun } from '@assay/client/part-of-run';

/** The names and the date of a run. */
export interface RunTitle {
  id: string;
  name?: string;
  createdAt: string;
  /** The part of its testset that the run is over: "on 40 of 400 testcases, lang = de". */
  part?: string;
  /** The names of the system and of its version. */
  system?: string;
  version?: string;
  branch?: string;
  commit?: string;
}

/** The two runs of a report, and their comparison in the console; of a first run, itself. */
export interface JudgedRuns {
  baseline?: RunTitle;
  candidate: RunTitle;
  link?: string;
}

export async function describeRuns({
  client,
  baseline,
  candidate,
  project,
  url,
}: {
  client: Client;
  baseline: NamedRun | undefined;
  candidate: NamedRun;
  project: string | undefined;
  /** With the version. */
  url: string;
}): Promise<JudgedRuns> {
  const [before, after, link] = await Promise.all([
    baseline && titleOf(client, baseline),
    titleOf(client, candidate),
    linkOf(),
  ]);
  return {
    ...(before ? { baseline: before } : {}),
    candidate: after,
    ...(link === undefined ? {} : { link }),
  };

  async function linkOf(): Promise<string | undefined> {
    const { testsetId } = candidate;
    if (testsetId === null) return undefined;
    // The link is only help.
    const testset = await testsetOf({ client, testsetId, project }).catch(() => undefined);
    if (!testset) return undefined;
    const console = `${url.replace(/\/v2$/, '')}/projects/${testset.projectId}`;
    if (!baseline) return `${console}/runs/${candidate.id}`;
    const query = new URLSearchParams({ baseline: baseline.id, candidate: candidate.id });
    return `${console}/compare?${query}`;
  }
}

async function titleOf(client: Client, run: NamedRun): Promise<RunTitle> {
  const { id, name, createdAt, labels = {}, systemVersionId } = run;
  const part = partOfRun(run);
  const own = (label: string) => (Object.hasOwn(labels, label) ? labels[label] : undefined);
  const [branch, commit] = [own('branch'), own('commit')];
  return {
    id,
    ...(name === undefined ? {} : { name }),
    createdAt,
    ...(part === undefined ? {} : { part }),
    ...(systemVersionId === null ? {} : await versionOf(client, systemVersionId)),
    ...(branch === undefined ? {} : { branch }),
    ...(commit === undefined ? {} : { commit }),
  };
}

/** A deleted system has no name any more, and its versions have. */
async function versionOf(
  client: Client,
  versionId: string,
): Promise<Pick<RunTitle, 'system' | 'version'>> {
  const version = await client
    .request('GET', '/systems/versions/:systemVersionId', {
      params: { systemVersionId: versionId },
    })
    .catch(withoutName);
  if (!version) return {};
  const system = await client
    .request('GET', '/systems/:systemId', { params: { systemId: version.systemId } })
    .catch(withoutName);
  return { version: version.name, ...(system ? { system: system.name } : {}) };
}

function withoutName(error: unknown): undefined {
  if (error instanceof RequestFailure) return undefined;
  throw error;
}
