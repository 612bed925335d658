import { RequestFailure } from '@assay/client/client';
import { LookupFailure } from '@assay/client/named';
import { ImportFailure } from '@assay/import/failure';
import { ConfigurationError } from '@assay/runtime/config';

/** The reason why a command cannot do its work, with the remedy: exit 2. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
}

/** Wrong arguments: exit 2, with the way to the help. */
export class UsageFailure extends CommandFailure {}

/** Reads an argument. @throws UsageFailure in place of any error. */
export function orUsage<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new UsageFailure(`Error: ${(error as Error).message}`);
  }
}

/** An error for people: the fault in a sentence, and the remedy in another. */
export function sentencesOf(error: unknown, url: string | undefined): string {
  if (error instanceof RequestFailure) return requestSentences(error, url);
  if (isNamed(error)) return error.message;
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (path !== undefined && code !== undefined) return fileSentences(code, path);
  return `This did not work: ${message}. If it happens again, report it with this sentence.`;
}

const isNamed = (error: unknown): error is Error =>
  [CommandFailure, LookupFailure, ImportFailure, ConfigurationError].some(
    (type) => error instanceof type,
  );

function requestSentences({ status, code, reason }: RequestFailure, url?: string): string {
  if (status === undefined)
    return `Assay is not reached at ${url}: ${reason}. Start it, or name its address in ASSAY_URL or by --url.`;
  if (code === undefined)
    return `What answers at ${url} is not Assay: ${reason} Name its address in ASSAY_URL or by --url.`;
  if (code === 'UNAUTHORIZED')
    return `The key is not accepted at ${url}: ${reason} Log in again (assay login), or give another key.`;
  if (code === 'FORBIDDEN') return `Assay answered ${reason} Use the key of an admin, or ask one.`;
  if (code === 'NOT_FOUND')
    return `Assay answered ${reason} Check the id, and by \`assay whoami\` the organization.`;
  if (status >= 500 || status === 429) return `Assay answered ${reason} Repeat the command later.`;
  return `Assay answered ${reason} Change what was sent, and repeat the command.`;
}

const fileReasons: Record<string, string> = {
  ENOENT: 'is not there: check the path.',
  EACCES: 'may not be read or written: check its permissions.',
  EISDIR: 'is a folder: name a file.',
  ENOTDIR: 'is below a file: check the path.',
  ENOSPC: 'cannot be written, because the disk is full: make room.',
};

const fileSentences = (code: string, path: string): string =>
  `${path} ${fileReasons[code] ?? `cannot be used (${code}): name another one.`}`;
