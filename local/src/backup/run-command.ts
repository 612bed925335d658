interface Tools {
  /** Aborted by Ctrl-C and SIGTERM: unfinished work is undone. */
  signal: AbortSignal;
  say: (line: string) => void;
}

/** Runs a command of the operator. A failure ends it with one sentence and exit code 1. */
export async function runCommand(work: (tools: Tools) => Promise<void>): Promise<void> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const ending = new AbortController();
  const end = () => ending.abort(new Error('Ended before it was done; nothing of it is left.'));
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  try {
    await work({ signal: ending.signal, say });
    process.exit(0);
  } catch (error) {
    say((error as Error).message.replaceAll(/\s*\n\s*/g, ' '));
    process.exit(1);
  }
}
