import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@assay/client/client';
import type { LocalConfig } from '../environment.ts';
import { judgeAsCook } from './cook.ts';
import { startStandInModel } from './stand-in-model.ts';

/** The model that the demo's metric asks: a program of the demo in place of a language model. */
export const demoJudgeModel = 'compatible/demo-stand-in';

/** Settings of judges of one's own, whose place the demo's judge would take. */
const settingsOfJudges = [
  'COMPATIBLE_BASE_URL',
  'JUDGE_MODELS',
  'JUDGE_ALLOWED_HOSTS',
  'JUDGE_PRICES',
] as const;

/** Those settings of judges that the environment has. */
export function ownJudgesIn(config: LocalConfig): string[] {
  return settingsOfJudges.filter((name) => config[name] !== undefined);
}

/** Starts the demo's judge, which lives as long as the process; returns the settings that name it. */
export async function withDemoJudge(config: LocalConfig): Promise<LocalConfig> {
  const { baseUrl } = await startStandInModel(judgeAsCook);
  const price = { inputUsdPerMillion: 0, outputUsdPerMillion: 0 };
  return {
    ...config,
    COMPATIBLE_BASE_URL: baseUrl,
    JUDGE_PRICES: JSON.stringify({ [demoJudgeModel]: price }),
  };
}

/** The id of the last project of the demo that its judge has scored. */
const projectFileIn = (dataFolder: string): string => join(dataFolder, 'demo-project');

export async function rememberDemoProject(dataFolder: string, projectId: string): Promise<void> {
  await writeFile(projectFileIn(dataFolder), `${projectId}\n`, { mode: 0o600 });
}

/**
 * Is there a project of the demo whose judge nobody plays? So it is where no provider of judges is
 * configured, and the project has not been deleted since.
 */
export async function lacksDemoJudge({
  url,
  key,
  folder,
}: {
  url: string;
  key: string;
  folder: string;
}): Promise<boolean> {
  const projectId = await readFile(projectFileIn(folder), 'utf8').catch(() => undefined);
  if (projectId === undefined) return false;
  const client = createClient({ url: `${url}/v2`, key });
  const project = await client
    .request('GET', '/projects/:projectId', { params: { projectId: projectId.trim() } })
    .catch(() => undefined);
  if (!project) return false;
  const { data } = await client.request('GET', '/judges');
  return !data.some(({ isConfigured }) => isConfigured);
}
