import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeJson } from '@assay/json/write';
import { environmentWith } from '@assay/sdk/environment';
import { CommandFailure } from '../failure.ts';

/** Whether a name is that of a script, in place of an evaluation of assay.yaml. */
export const isScript = (name: string): boolean => /\.(ts|mts|js|mjs)$/.test(name);

/** Runs a script that calls `evaluate`, in a process of its own; its exit code. */
export async function runScript(
  script: string,
  { url, key, options }: { url: string; key: string; options: object },
): Promise<number> {
  const path = resolve(script);
  await access(path).catch(() => {
    throw new CommandFailure(`${script} is not there: check the path.`);
  });
  if (findPackage(path, 'assay') === undefined)
    throw new CommandFailure(
      `${script} cannot import the package: npm install ${url}/sdk/assay.tgz`,
    );
  const child = spawn(process.execPath, [...loadersOf(script, path), path], {
    stdio: 'inherit',
    env: environmentWith({
      ASSAY_URL: url,
      ASSAY_API_KEY: key,
      ASSAY_RUN_OPTIONS: writeJson(options),
    }),
  });
  return endOf(child);
}

/** Node.js 22.18 and newer run TypeScript as it is, others by tsx. */
function loadersOf(script: string, path: string): string[] {
  const { features } = process as { features: { typescript?: unknown } };
  if (!/ts$/.test(script) || features.typescript) return [];
  const tsx = findPackage(path, 'tsx');
  if (tsx !== undefined) return ['--import', pathToFileURL(tsx).href];
  throw new CommandFailure(
    `Node.js ${process.versions.node} does not run ${script}: ${typescriptAdvice}, or write .mjs.`,
  );
}

/** The advice where Node.js does not run TypeScript by itself. */
export const typescriptAdvice = 'npm install --save-dev tsx, or use Node.js 22.18 or newer';

/** The file of a package that is installed beside a file; undefined where there is none. */
export function findPackage(path: string, name: string): string | undefined {
  try {
    return createRequire(path).resolve(name);
  } catch {
    return undefined;
  }
}

/** Ctrl-C reaches the child by itself, which pauses its run; this process waits for it. */
async function endOf(child: ReturnType<typeof spawn>): Promise<number> {
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  const [code] = await once(child, 'close');
  process.off('SIGINT', ignore);
  return code ?? 2;
}
