import { createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { publishersFor, receiversOf } from '@assay/contracts/permissions';
import { z } from 'zod';
import { ConfigurationError, type ProcessConfig } from './config.ts';
import type { Log } from './log.ts';

/** Keys for one end: the first signs, and each is accepted, while one takes the place of another. */
export type KeyList = readonly string[];

const keyList = z.array(z.string().min(32)).min(1);
const credentials = z.object({ user: z.string().min(1), password: z.string().min(1) });

/** The user of a process at MongoDB or at NATS. */
export type Credentials = z.infer<typeof credentials>;

/** A process proves itself with it: the content of its file, which the operator's commands write. */
export const keysFile = z.object({
  process: z.string(),
  own: keyList,
  /** By the process that is asked or called. */
  towards: z.record(z.string(), keyList),
  /** By the process whose events or jobs this one reads. */
  publishers: z.record(z.string(), keyList),
  mongodb: credentials.optional(),
  nats: credentials.optional(),
});

export type KeysFile = z.infer<typeof keysFile>;

/** HMAC-SHA-256, base64url: whoever has the derived key learns nothing of the one above it. */
const derive = (key: string, end: string): string =>
  createHmac('sha256', key).update(end).digest('base64url');

const pairKey = (receiverKey: string, sender: string): string =>
  derive(receiverKey, `from ${sender}`);
const publishingKey = (key: string): string => derive(key, 'publishes');

/**
 * Makes the keys of a process from the roots of the installation, of which the first signs. A
 * process gets its own key, one for each that it may ask or call, and those of the publishers whose
 * messages it reads (ADR 81).
 */
export function makeKeysFile(roots: KeyList, process: string): KeysFile {
  const own = (name: string) => roots.map((root) => derive(root, `process ${name}`));
  return {
    process,
    own: own(process),
    towards: Object.fromEntries(
      receiversOf(process).map((name) => [name, own(name).map((key) => pairKey(key, process))]),
    ),
    publishers: Object.fromEntries(
      publishersFor(process).map((name) => [name, own(name).map(publishingKey)]),
    ),
  };
}

/** The file of a process, in the folder of keys. */
export const keysFileOf = (folder: string, process: string): string =>
  join(folder, `${process}.json`);

/** How a process signs, and whose signatures it accepts. */
export interface ProcessKeys {
  process: string;
  /**
   * The one secret of all processes, before each had keys of its own: signs beside them, for
   * processes that know nothing else.
   */
  shared: string | undefined;
  /** The process signs with these, and opens it itself. */
  own(): KeyList;
  /** This process signs with these, and another opens it. */
  towards(receiver: string): KeyList;
  /** Another process signs with these, and this one opens it. */
  from(sender: string): KeyList;
  /** For the messages that it publishes. */
  publishing(): KeyList;
  /** For the messages that another process published, or the process itself. */
  publishedBy(sender: string): KeyList;
  /** Its users of MongoDB and NATS; undefined where the addresses name them, or there are none. */
  users(): Pick<KeysFile, 'mongodb' | 'nats'>;
}

/** Keys of a process that has one secret alone: the operator's, or that of all processes. */
export const keysOfSecret = (secret: string, process = 'unnamed'): ProcessKeys => ({
  process,
  shared: secret,
  own: () => [],
  towards: () => [],
  from: () => [],
  publishing: () => [],
  publishedBy: () => [],
  users: () => ({}),
});

/**
 * Opens the keys of a process, from its file in ASSAY_KEYS_FOLDER. The file is read again when it
 * has changed: keys are replaced without a restart.
 * @throws ConfigurationError where there are no keys that can be used.
 */
export function openKeys(
  {
    ASSAY_KEYS_FOLDER: folder,
    ASSAY_SECRET: shared,
  }: Pick<ProcessConfig, 'ASSAY_KEYS_FOLDER' | 'ASSAY_SECRET'>,
  process: string,
  log: Log,
): ProcessKeys {
  if (folder === undefined) {
    if (shared === undefined)
      throw new ConfigurationError(
        'ASSAY_KEYS_FOLDER is not set: it names the folder with the keys of this process, which `npm run keys` makes.',
      );
    log.warn(
      'ASSAY_SECRET is all that this process proves itself with: any process that has it can act as any other. Make keys by `npm run keys`, and set ASSAY_KEYS_FOLDER; the release after this one refuses to start without.',
    );
    return keysOfSecret(shared, process);
  }
  if (shared !== undefined)
    log.warn(
      'ASSAY_SECRET stands beside the keys of this process: any process that has it can act as any other. Take it away when every process has keys of its own.',
    );
  const current = createReading(keysFileOf(folder, process), log);
  return {
    process,
    shared,
    own: () => current().keys.own,
    towards: (receiver) => current().keys.towards[receiver] ?? [],
    from: (sender) => current().from(sender),
    publishing: () => current().publishing,
    publishedBy: (sender) =>
      sender === process ? current().publishing : (current().publishers.get(sender) ?? []),
    users: () => current().keys,
  };
}

/** How often a file is looked at, at most. */
const readEveryMs = 2000;

interface ReadKeys {
  keys: KeysFile;
  publishing: KeyList;
  /** A map, since a message says any name before its signature is looked at. */
  publishers: ReadonlyMap<string, KeyList>;
  from: (sender: string) => KeyList;
}

/** A file that is wrong later keeps the keys that were read before, and is told. */
function createReading(file: string, log: Log): () => ReadKeys {
  let changedAtMs = changeOf(file);
  let known = derived(readKeysFile(file));
  let lookedAtMs = performance.now();
  return () => {
    if (performance.now() - lookedAtMs < readEveryMs) return known;
    lookedAtMs = performance.now();
    try {
      const changed = changeOf(file);
      if (changed !== changedAtMs) {
        known = derived(readKeysFile(file));
        changedAtMs = changed;
        log.info('the keys of this process were read again');
      }
    } catch (error) {
      log.error(`${(error as Error).message} The keys that were read before are used.`);
    }
    return known;
  };
}

const changeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** All that is derived from a file's keys is derived once. */
function derived(keys: KeysFile): ReadKeys {
  const pairs = new Map<string, KeyList>();
  return {
    keys,
    publishing: keys.own.map(publishingKey),
    publishers: new Map(Object.entries(keys.publishers)),
    from: (sender) => {
      const known = pairs.get(sender);
      if (known) return known;
      const pair = keys.own.map((key) => pairKey(key, sender));
      if (isProcess(sender)) pairs.set(sender, pair);
      return pair;
    },
  };
}

const isProcess = (name: string): boolean => receiversOf(name).length > 0;

function readKeysFile(file: string): KeysFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError(
      `ASSAY_KEYS_FOLDER: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}): make it by \`npm run keys\`.`,
    );
  }
  try {
    return keysFile.parse(JSON.parse(text));
  } catch (error) {
    throw new ConfigurationError(
      `ASSAY_KEYS_FOLDER: ${file} does not hold the keys of a process: make it anew by \`npm run keys\`.`,
      { cause: error },
    );
  }
}
