import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const shownMax = 25;
const idleNames = new Set(['(idle)', '(program)']);

/**
 * Returns the processor time by the profiles of a folder (one per thread): functions by their own
 * time, without idle time.
 */
export async function readProfiles(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.cpuprofile'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.map((text) => describe(JSON.parse(text) as CpuProfile));
}

function describe({ nodes, samples, timeDeltas }: CpuProfile): string {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const selfTimes = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id)!;
    selfTimes.set(name, (selfTimes.get(name) ?? 0) + timeDeltas[index]!);
  }
  const busy = [...selfTimes].filter(([name]) => !idleNames.has(name));
  const total = busy.reduce((sum, [, time]) => sum + time, 0);
  const share = (time: number) => `${((time / total) * 100).toFixed(1).padStart(5)} %`;
  const lines = busy
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, time]) => `${share(time)}  ${name}`);
  return [`  ${(total / 1e6).toFixed(1)} s busy, of it:`, ...lines.slice(0, shownMax)].join('\n');
}

/** The function, with the last parts of its file's path. */
function nameOf({
  functionName,
  url,
  lineNumber,
}: CpuProfile['nodes'][number]['callFrame']): string {
  const file = url
    .replace(/^.*\/node_modules\//, '')
    .split('/')
    .slice(-4)
    .join('/');
  return file === ''
    ? functionName || '(native)'
    : `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`;
}
