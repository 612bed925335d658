import { hostname } from 'node:os';
import { createRepeated } from '../concurrency/repeated.ts';
import { ConfigurationError } from '../config.ts';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import { isDatabaseAway, isDuplicateKey, isUnauthorized } from './errors.ts';

/**
 * One step of a database's history. It runs once; it must be safe to run again after a crash in its
 * middle.
 */
export interface Migration {
  /** Begins with its number: `1-indexes`. Never changed once released. */
  name: string;
  up: (database: Database) => Promise<void>;
}

interface MigrationDocument {
  _id: string;
  at: Date;
  /** On the document `lock` only. */
  holder?: string;
}

/** After how long the lock of a process that says nothing more is free. */
const leaseMs = 60_000;

interface MigrateOptions {
  database: Database;
  migrations: Migration[];
  log: Log;
  lockMs?: number;
}

/**
 * Applies the migrations that the database does not have yet, in order. One process applies them at
 * a time, however long they take; other processes wait. Returns the names of those that it applied.
 * @throws ConfigurationError that names the variable where the database refuses or is lost.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  try {
    return await applyMissing(options);
  } catch (error) {
    const told = (sentence: string) => new ConfigurationError(sentence, { cause: error });
    const { message } = error as Error;
    if (isUnauthorized(error))
      throw told(
        `MONGODB_URI: the user may not change the database of this service (${message}): grant the role readWriteAnyDatabase, or readWrite on each.`,
      );
    if (isDatabaseAway(error))
      throw told(
        `MONGODB_URI: MongoDB was lost while its data was migrated (${message}): see that it runs, and start this process again.`,
      );
    throw error;
  }
}

async function applyMissing({
  database,
  migrations,
  log,
  lockMs = leaseMs,
}: MigrateOptions): Promise<string[]> {
  const changelog = changelogOf(database);
  const isDone = () => isMigrated({ database, migrations });
  const applied: string[] = [];
  if (await isDone()) return applied;
  const holder = `${hostname()}:${process.pid}:${crypto.randomUUID()}`;
  while (!(await takeLock(database, holder, lockMs))) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (await isDone()) return applied;
  }
  const lease = createRepeated({
    work: async () => {
      await changelog.updateOne({ _id: 'lock', holder }, { $set: { at: new Date() } });
    },
    everyMs: lockMs / 4,
    failure: 'the lock of the migrations could not be held on to',
    log,
  });
  lease.start();
  try {
    for (const { name, up } of migrations) {
      if (await changelog.findOne({ _id: name })) continue;
      log.info({ migration: name }, 'migrating');
      await up(database);
      // Where the process stood still for a minute, another has done the same meanwhile.
      await changelog.updateOne(
        { _id: name },
        { $setOnInsert: { at: new Date() } },
        { upsert: true },
      );
      applied.push(name);
    }
    return applied;
  } finally {
    await lease.stop();
    await changelog.deleteOne({ _id: 'lock', holder });
  }
}

/** Returns whether all of them have been applied. */
export async function isMigrated({
  database,
  migrations,
}: Pick<MigrateOptions, 'database' | 'migrations'>): Promise<boolean> {
  const names = migrations.map(({ name }) => name);
  return (await changelogOf(database).countDocuments({ _id: { $in: names } })) === names.length;
}

/** A lock that a dead process left is free after a minute. */
async function takeLock(database: Database, holder: string, lockMs: number): Promise<boolean> {
  const free = { _id: 'lock', at: { $lt: new Date(Date.now() - lockMs) } };
  try {
    await changelogOf(database).updateOne(
      free,
      { $set: { holder, at: new Date() } },
      { upsert: true },
    );
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

const changelogOf = (database: Database) => database.collection<MigrationDocument>('migrations');
