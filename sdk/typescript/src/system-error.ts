import { fileURLToPath } from 'node:url';
import { cutError, inSentence } from '@assay/contracts/cut-text';
import type { SystemError } from './evaluation.ts';
import type { Note } from './notes.ts';

/** Reads a thrown value of the system. Texts that are too long are cut, and end in `…`. */
export function systemErrorOf(thrown: unknown): SystemError {
  const [name, message, stack] = ['name', 'message', 'stack'].map((each) => memberOf(thrown, each));
  const status = statusOf(thrown);
  return {
    name: 'Error',
    ...cutError({
      name: typeof name === 'string' ? name : 'Error',
      message: plain(typeof message === 'string' ? message : textOf(thrown)),
      stack: typeof stack === 'string' ? withoutOwnFrames(plain(stack)) : undefined,
    }),
    ...(status === undefined ? {} : { status }),
  };
}

/** Undefined also where a getter throws: what a system throws is the system's code. */
export function memberOf(holder: unknown, name: string): unknown {
  try {
    return (holder as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return '';
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: tests colour what they say.
const plain = (text: string): string => text.replaceAll(/\x1b\[[0-9;]*m/g, '');

const ownFolder = new URL('.', import.meta.url).href;
const ownPlaces = [ownFolder, fileURLToPath(ownFolder), 'node:internal/'];

/** A stack without the frames of this package, and those of Node between and below them. */
const withoutOwnFrames = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => !/^\s+at /.test(line) || !ownPlaces.some((place) => line.includes(place)))
    .join('\n');

/** The status by the names under which clients of providers have it. */
function statusOf(thrown: unknown): number | undefined {
  const said = ['status', 'status_code', 'statusCode'].map((name) => memberOf(thrown, name));
  return [...said, memberOf(memberOf(thrown, 'response'), 'status')].find(isStatus);
}

const isStatus = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 599;

/** The errors of the calls of an evaluation. */
export interface ErrorLog {
  add(error: SystemError): void;
  count(): number;
  /** "The system failed on 12 records: ConnectionError: model down (9), TimeoutError (3)." */
  sentence(): string | undefined;
  /** The same as a note that is never left out. */
  notes(): Note[];
  /** Where the first of them was thrown. */
  firstStack(): string | undefined;
}

/** Prints where the system and a scorer failed first. */
export function printStacks(failed: Pick<ErrorLog, 'firstStack'>[]): void {
  for (const stack of failed.flatMap((each) => each.firstStack() ?? []))
    process.stderr.write(`${stack}\n`);
}

const namesShownMax = 5;

export function createErrorLog(): ErrorLog {
  const byName = new Map<string, { count: number; messages: Set<string> }>();
  let count = 0;
  let firstStack: string | undefined;
  const shown = ([name, { count, messages }]: [
    string,
    { count: number; messages: Set<string> },
  ]) => {
    const [message = ''] = messages;
    const isTold = messages.size === 1 && message !== '';
    return `${inSentence(name)}${isTold ? `: ${inSentence(message)}` : ''} (${count})`;
  };
  function sentence(): string | undefined {
    if (count === 0) return undefined;
    const sorted = [...byName].sort((one, other) => other[1].count - one[1].count);
    const more = sorted.length - namesShownMax;
    const kinds = sorted.slice(0, namesShownMax).map(shown);
    return `The system failed on ${count} ${count === 1 ? 'record' : 'records'}: ${[...kinds, ...(more > 0 ? [`${more} more kinds`] : [])].join(', ')}.`;
  }

  return {
    add({ name, message, stack }) {
      count += 1;
      firstStack ??= stack;
      const known = byName.get(name) ?? { count: 0, messages: new Set() };
      known.count += 1;
      // Two are enough to know that they differ.
      if (known.messages.size < 2) known.messages.add(message);
      byName.set(name, known);
    },
    count: () => count,
    sentence,
    notes() {
      const text = sentence();
      return text === undefined ? [] : [{ text, isFailure: true }];
    },
    firstStack: () => firstStack,
  };
}
