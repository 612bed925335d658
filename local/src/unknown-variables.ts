import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { didYouMean, nearNames } from '@assay/client/named';
import { isKnownVariable, misspeltVariables } from '@assay/runtime/misspelt-variables';

/** The list of all variables, which a clone of the repository has; a test compares it with the code. */
const listFile = fileURLToPath(new URL('../../.env.example', import.meta.url));

/**
 * A sentence for each variable that no part of Assay reads: any of `.env` in the working folder, and
 * one of the environment that is a letter away from a name that is read.
 */
export async function unknownVariables({
  environment = process.env,
  folder = '.',
}: {
  environment?: Record<string, string | undefined>;
  folder?: string;
} = {}): Promise<string[]> {
  const known = await namesIn(listFile);
  if (known.length === 0) return [];
  const own = Object.keys(parseEnv(await textOf(join(folder, '.env'))));
  const misspelt = misspeltVariables(known, environment).map(({ name }) => name);
  return [...new Set([...own, ...misspelt])]
    .filter((name) => !isKnownVariable(known, name))
    .map((name) => {
      const near = nearNames(name, known).slice(0, 1);
      const advice =
        near.length > 0 ? didYouMean(near) : '.env.example lists those that there are.';
      return `${name} is set${own.includes(name) ? ' in .env' : ''}, and no part of Assay reads it. ${advice}`;
    });
}

async function namesIn(file: string): Promise<string[]> {
  const text = await textOf(file);
  return [...text.matchAll(/^# ([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name!);
}

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
