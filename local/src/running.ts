import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivate } from './secret.ts';

/**
 * How the operator's commands reach the running installation: kept in the data folder while it
 * runs, readable by its owner alone.
 */
const running = z.object({
  natsUrl: z.string(),
  operatorSecret: z.string(),
  subjectPrefix: z.string(),
  /** The base path of the API. */
  apiUrl: z.string(),
  mongodbUri: z.string(),
  databasePrefix: z.string(),
  /** Left out where a bucket has them. */
  attachmentsFolder: z.string().optional(),
});

export type Running = z.output<typeof running>;

const fileIn = (dataFolder: string): string => join(dataFolder, 'running.json');

/** Tells the operator's commands; gives the step that takes it back. */
export async function tellOperators(
  dataFolder: string,
  told: Running,
): Promise<() => Promise<void>> {
  await writePrivate(fileIn(dataFolder), `${JSON.stringify(told)}\n`);
  return () => rm(fileIn(dataFolder), { force: true });
}

/**
 * Undefined where nothing runs. Throws an Error whose message is one sentence when the file cannot
 * be used.
 */
export async function readRunning(dataFolder: string): Promise<Running | undefined> {
  const file = fileIn(dataFolder);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new Error(`${file} cannot be read (${error.code}).`);
  });
  if (text === undefined) return undefined;
  try {
    return running.parse(JSON.parse(text));
  } catch {
    throw new Error(`${file} is damaged: start Assay again with \`npm start\`.`);
  }
}
