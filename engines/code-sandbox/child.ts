import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { lowerChildPriority } from '@assay/runtime/concurrency/priority';
import { type ProcessorUse, processorUse } from '@assay/runtime/concurrency/processor-time';

/** How a child is started: everything that keeps it in, and nothing of our environment. */
export interface Launch {
  command: string;
  args: string[];
  folder: string;
  /** The bytes that the child reads from its file descriptor 3, to the end. */
  filter?: Uint8Array;
}

/**
 * A line that the child wrote, or why there will be none: it ended, or wrote more than a line may
 * have.
 */
export type Line = { text: string } | { missing: 'ended' | 'too long' };

export type Child = ReturnType<typeof startChild>;

/**
 * Starts a process that we speak with in lines, by its stdin and stdout; its stderr goes nowhere.
 */
export function startChild({ launch, lineBytesMax }: { launch: Launch; lineBytesMax: number }) {
  const { command, args, folder, filter } = launch;
  const stdio = [
    'pipe' as const,
    'pipe' as const,
    'ignore' as const,
    ...(filter ? ['pipe' as const] : []),
  ];
  const child = spawn(command, args, { cwd: folder, env: {}, stdio, detached: true });
  child.once('exit', () => killGroup(child));
  // Where cores are scarce, answering requests goes before users' code: it would take every core
  // that it is let.
  const yieldToOthers = () => {
    if (child.pid !== undefined && isRunning(child)) lowerChildPriority(child.pid);
  };
  yieldToOthers();
  // bubblewrap has started another process by then, perhaps before its own priority was lower.
  child.stdout!.once('data', yieldToOthers);
  const exited = new Promise<void>((resolve) =>
    child.once('close', () => resolve()).once('error', () => resolve()),
  );
  const lines = readLines({ child, lineBytesMax, exited });
  child.stdin!.on('error', () => undefined);
  if (filter) (child.stdio[3] as Writable).on('error', () => undefined).end(filter);

  return {
    /** The next line; one asker at a time. */
    read: lines.next,

    /**
     * Writes the pieces. One who has gone does not read them: that shows when the answer is
     * missing.
     */
    write: (pieces: (string | Uint8Array)[]): void => {
      for (const piece of pieces) child.stdin!.write(piece);
    },

    processorUse: (): ProcessorUse => processorUse(child.pid ?? 0),

    /** Ends the process, whatever it does, and waits for its end. */
    kill: async (): Promise<void> => {
      if (isRunning(child)) killGroup(child);
      child.stdin!.destroy();
      await exited;
    },
  };
}

function readLines({
  child,
  lineBytesMax,
  exited,
}: {
  child: ChildProcess;
  lineBytesMax: number;
  exited: Promise<void>;
}) {
  const lines: Line[] = [];
  let part: Buffer[] = [];
  let partBytes = 0;
  let wake = () => {};

  function receive(chunk: Buffer): void {
    const end = chunk.indexOf('\n');
    // A request is sent only after the last line was read, so text after a line break answers no
    // request, and is dropped.
    const piece = end < 0 ? chunk : chunk.subarray(0, end);
    part.push(piece);
    partBytes += piece.length;
    if (partBytes > lineBytesMax) stop('too long');
    else if (end >= 0) {
      lines.push({ text: Buffer.concat(part).toString() });
      part = [];
      partBytes = 0;
      wake();
    }
  }

  function stop(missing: 'ended' | 'too long'): void {
    child.stdout!.off('data', receive).destroy();
    if (isRunning(child)) killGroup(child);
    lines.push({ missing });
    wake();
  }

  child.stdout!.on('data', receive).on('error', () => undefined);
  exited.then(() => stop('ended'));

  async function next(): Promise<Line> {
    while (lines.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    const [line] = lines;
    if ('text' in line!) lines.shift();
    return line!;
  }

  return { next };
}

/** When it has ended, its number may be that of another one. */
const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

/**
 * The process has a group of its own, as it is detached. bubblewrap is two processes before they
 * are bound to die together: were one killed alone, the other would wait for it for ever.
 */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}
