import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { poll } from '@assay/testing/poll';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findWall } from '../bubblewrap.ts';
import { javascriptLaunch } from '../javascript.ts';
import { createPool } from '../pool.ts';
import { bubblewrapPath, languages, startSandbox, withoutPython } from './setting.ts';

const good = {
  javascript: 'const evaluate = ({ inputs }) => inputs.number',
  python: 'def evaluate(record):\n    return record["inputs"]["number"]',
};
const endless = { javascript: 'for (;;);', python: 'while True: pass' };
const kinds = languages.filter((language) => language !== 'typescript');

describe.each(kinds)('%s', (language) => {
  test('of ten at once one hangs, and the others get their own answers', async () => {
    const sandbox = startSandbox({ timeoutMs: 3000 });
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        sandbox.run(language, number === 3 ? endless[language] : good[language], {
          inputs: { number },
        }),
      ),
    );
    expect(outcomes).toEqual(
      outcomes.map((_, value) =>
        value === 3
          ? { ok: false, code: 'timeout', message: 'the code ran longer than 3000 ms' }
          : { ok: true, value, reasoning: undefined },
      ),
    );
  });

  test('what runs and what waits when the sandbox is closed is rejected, and so is what comes later', async () => {
    const sandbox = startSandbox({ children: 1 });
    await sandbox.run(language, good[language], { inputs: { number: 1 } });
    const under = [sandbox.run(language, endless[language]), sandbox.run(language, good[language])];
    const settled = Promise.allSettled(under);
    await sandbox.close();
    const closed = { status: 'rejected', reason: new Error('The sandbox is closed.') };
    expect(await settled).toEqual([closed, closed]);
    await expect(sandbox.run(language, good[language])).rejects.toThrow('The sandbox is closed.');
  });
});

test('a program that cannot be started is an error, each time anew', async () => {
  const launch = { command: '/nowhere/node', args: [], folder: '/' };
  const pool = createPool({ launch, size: 1, usesMax: 1, lineBytesMax: 100 });
  for (let time = 0; time < 2; time++) {
    await expect(pool.use(() => Promise.reject(new Error('used')))).rejects.toThrow(
      '/nowhere/node could not be started as a sandbox.',
    );
  }
  await pool.close();
});

test.skipIf(withoutPython)(
  'a pool that is closed while a process behind bubblewrap starts leaves none that waits for ever',
  async () => {
    const walled = await findWall({ bubblewrapPath });
    if (!('wall' in walled)) throw new Error(walled.reason);
    const launch = await javascriptLaunch(walled);
    for (let time = 0; time < 20; time++) {
      const pool = createPool({ launch, size: 1, usesMax: 1, lineBytesMax: 100 });
      const used = pool.use(async (child) => ({ result: await child.read(), isSpent: true }));
      const settled = Promise.allSettled([used]);
      // Each time a little later in its start.
      for (let turn = 0; turn < time * 20; turn++) await new Promise(setImmediate);
      await pool.close();
      expect(await settled).toEqual([
        { status: 'rejected', reason: new Error('The sandbox is closed.') },
      ]);
    }
  },
);

interface SandboxProgram {
  language: 'javascript' | 'python';
  path: string;
}
const started: SandboxProgram[] = [
  { language: 'javascript', path: '/nowhere/bwrap' },
  ...(withoutPython
    ? []
    : (['javascript', 'python'] as const).map((language) => ({ language, path: bubblewrapPath! }))),
];

describe.skipIf(process.platform !== 'linux').each(started)(
  'the processes of $language with $path',
  (options) => {
    test('yield the processor to whatever answers requests, inside of the wall too', async () => {
      const parent = startParent({ ...options, timeoutMs: 600_000 });
      expect(await parent.ask('evaluate')).toBe('6');
      expect(await parent.ask('hang')).toBe('begun');
      // One that has just been started is about to.
      await poll('all of them yield', () => {
        const pids = below(parent.pid).filter(isRunning);
        return pids.length > 0 && pids.every(yields);
      });
      expect(await parent.ask('close')).toBe('The sandbox is closed.');
    });

    test('are replaced when they were killed between two records', async () => {
      const parent = startParent({ ...options, timeoutMs: 600_000 });
      expect(await parent.ask('evaluate')).toBe('6');
      const pids = await poll('a process is there', () => onlyIfAny(below(parent.pid)));
      for (const pid of pids) kill(pid);
      expect(await parent.ask('evaluate')).toBe('6');
    });

    test('are gone when the sandbox is closed, whatever they were doing', async () => {
      const parent = startParent({ ...options, timeoutMs: 600_000 });
      expect(await parent.ask('evaluate')).toBe('6');
      expect(await parent.ask('hang')).toBe('begun');
      expect(await parent.ask('evaluate')).toBe('6');
      const pids = await poll('processes are there', () => onlyIfAny(below(parent.pid)));
      expect(await parent.ask('close')).toBe('The sandbox is closed.');
      // The system ends what was inside of a wall that is gone, in its own time.
      await poll('they are gone', () => !pids.some(isRunning) && below(parent.pid).length === 0);
    });

    test('end by themselves when whoever started them is killed', async () => {
      const parent = startParent({ ...options, timeoutMs: 600_000 });
      expect(await parent.ask('evaluate')).toBe('6');
      expect(await parent.ask('hang')).toBe('begun');
      const pids = await poll('processes are there', () => onlyIfAny(below(parent.pid)));
      kill(parent.pid);
      await poll('they are gone', () => !pids.some(isRunning));
    });
  },
);

test.skipIf(process.platform !== 'linux')(
  'code that gets no processor has not run too long: it is to be tried again',
  async () => {
    const parent = startParent({ language: 'javascript', path: '/nowhere/bwrap', timeoutMs: 600 });
    expect(await parent.ask('evaluate')).toBe('6');
    const processor = firstProcessor();
    for (const pid of below(parent.pid)) comeLast(pid, processor);
    const hogs = Array.from({ length: 3 }, () => startHog(processor));
    await poll('the processor is taken', () => hogs.every(({ pid }) => usedMs(pid!) > 200));
    const starved = 'There is more to do here than this machine can: try again.';
    expect(await parent.ask('evaluate long')).toBe(starved);
    for (const hog of hogs) hog.kill();
    await poll('code is evaluated again', async () => (await parent.ask('evaluate')) === '6');
  },
);

function startParent({ language, path, timeoutMs }: SandboxProgram & { timeoutMs: number }) {
  const file = fileURLToPath(new URL('parent.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--conditions=assay-source', '--import', 'tsx', file, language, path, String(timeoutMs)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  return {
    pid: child.pid!,
    ask: async (command: string): Promise<string> => {
      child.stdin!.write(`${command}\n`);
      return (await lines.next()).value;
    },
  };
}

/** The first that this process may use. */
const firstProcessor = (): string =>
  /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]!;

/** A process that never lets go of its processor. */
function startHog(processor: string) {
  const hog = spawn('taskset', ['-c', processor, process.execPath, '--eval', 'for (;;);'], {
    stdio: 'ignore',
    detached: true,
  });
  onTestFinished(() => void hog.kill('SIGKILL'));
  return hog;
}

/**
 * Binds a process to a processor, on which it and its group (sched(7), The autogroup feature) come
 * last.
 */
function comeLast(pid: number, processor: string): void {
  execFileSync('taskset', ['-a', '-p', '-c', processor, String(pid)]);
  setPriority(pid, 19);
  if (existsSync(groupOf(pid))) writeFileSync(groupOf(pid), '19');
}

const groupOf = (pid: number): string => `/proc/${pid}/autogroup`;

const usedMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;

const onlyIfAny = (pids: number[]): number[] | undefined => (pids.length > 0 ? pids : undefined);

/**
 * The processes that descend from one, by /proc. Loaders of TypeScript start a process too, which
 * is none of ours.
 */
function below(ancestor: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = new Map(pids.map((pid) => [Number(pid), statusOf(Number(pid))]));
  const isBelow = (pid: number | undefined): boolean => {
    const parent = pid === undefined ? undefined : found.get(pid)?.parent;
    return parent !== undefined && (parent === ancestor || isBelow(parent));
  };
  return [...found.keys()].filter(
    (pid) => isBelow(pid) && !found.get(pid)!.command.includes('esbuild'),
  );
}

/** Undefined when it is not there any more. */
function statusOf(pid: number): { state: string; parent: number; command: string } | undefined {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
    const [state, parent] = afterName.split(' ');
    return { state: state!, parent: Number(parent), command };
  } catch {
    return undefined;
  }
}

/** A process that has ended, and that nobody has asked about yet, is still listed. */
function isRunning(pid: number): boolean {
  const state = statusOf(pid)?.state;
  return state !== undefined && state !== 'Z';
}

function yields(pid: number): boolean {
  return (
    getPriority(pid) === 10 &&
    (!existsSync(groupOf(pid)) || /nice 10$/m.test(readFileSync(groupOf(pid), 'utf8')))
  );
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went with another one.
  }
}
