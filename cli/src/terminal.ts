import { printable, printableLines } from '@assay/client/printable';
import { writeJson } from '@assay/json/write';

/** Where a command writes: data to standard output, talk to standard error. */
export interface Terminal {
  /** The columns that tables may take. */
  width: number;
  isInteractive: boolean;
  /**
   * Data, as it is; on a terminal without the characters that would steer it. Waits while its reader
   * is slower.
   */
  write(data: string | Uint8Array): Promise<void>;
  /** Lines of data for people, made safe for a terminal. */
  print(lines: string[]): Promise<void>;
  /** JSON of one document. */
  printJson(value: unknown): Promise<void>;
  /** A line of talk. */
  say(sentence: string): void;
  /** Progress: one line that changes on a terminal, else a line now and then. */
  progress(text: string): void;
  /** Says once why a command waits. */
  sayWaiting(reason: string): void;
}

type Streams = Pick<typeof process, 'stdout' | 'stderr'>;

const defaultWidth = 80;
/** Between two lines of progress that is not on a terminal, in ms. */
const progressMs = 5000;

export function createTerminal({ stdout, stderr }: Streams = process): Terminal {
  // A reader such as `head` that has enough is no error.
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    process.exit(code === 'EPIPE' ? 0 : 2);
  });
  const decoder = new TextDecoder();
  let isLineOpen = false;
  let waitedFor: string | undefined;
  let told = Number.NEGATIVE_INFINITY;

  function endLine(): void {
    if (isLineOpen) stderr.write('\r\u001b[K');
    isLineOpen = false;
  }

  function say(sentence: string): void {
    endLine();
    stderr.write(`${sentence.split('\n').map(printable).join('\n')}\n`);
  }

  function drawn(data: string | Uint8Array): string {
    endLine();
    return printableLines(typeof data === 'string' ? data : decoder.decode(data, { stream: true }));
  }

  async function write(data: string | Uint8Array): Promise<void> {
    if (!stdout.write(stdout.isTTY ? drawn(data) : data))
      await new Promise<void>((resolve) => stdout.once('drain', resolve));
  }

  return {
    width: Math.max(defaultWidth, stdout.isTTY ? stdout.columns : 0),
    isInteractive: stdout.isTTY === true && stderr.isTTY === true,
    write,
    print: (lines) => write(lines.map((line) => `${printable(line)}\n`).join('')),
    printJson: (value) => write(`${writeJson(value, { indent: 2 })}\n`),
    say,
    progress(text) {
      if (stderr.isTTY) {
        stderr.write(`\r\u001b[K${printable(text).slice(0, stderr.columns - 1)}`);
        isLineOpen = true;
      } else if (performance.now() - told >= progressMs) {
        told = performance.now();
        say(text);
      }
    },
    sayWaiting(reason) {
      if (reason !== waitedFor) say(`Waiting for Assay: ${reason}`);
      waitedFor = reason;
    },
  };
}
