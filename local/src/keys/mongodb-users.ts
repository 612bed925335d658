import { hash } from 'node:crypto';
import { createMongoClient } from '@assay/runtime/mongo/client';
import type { Db } from 'mongodb';
import type { Roots } from './roots.ts';
import { userOf } from './users.ts';
import { databaseOwners } from './write-keys.ts';

/**
 * Keeps a user for each service that has a database, who reads and writes that database alone.
 * @param admin the database `admin`, as a user who may make others.
 */
export async function keepMongodbUsers(
  admin: Db,
  { roots, databasePrefix }: { roots: Roots; databasePrefix: string },
): Promise<void> {
  await Promise.all(
    databaseOwners.map((service) => {
      const { user, password: pwd } = userOf(roots, 'mongodb', service);
      const roles = [{ role: 'readWrite', db: `${databasePrefix}_${service}` }];
      return keepMongodbUser(admin, { user, pwd, roles });
    }),
  );
}

/** The same at the server of a URI, whose user may make others. */
export async function keepMongodbUsersAt(
  uri: string,
  wanted: { roots: Roots; databasePrefix: string },
): Promise<void> {
  const client = createMongoClient(uri);
  try {
    await keepMongodbUsers(client.db('admin'), wanted);
  } finally {
    await client.close();
  }
}

/**
 * A user who is there gets this password and these roles, unless it has them: MongoDB takes some
 * 20 ms for each password, and a start would for each of ten.
 */
export async function keepMongodbUser(
  admin: Db,
  { user, ...kept }: { user: string; pwd: string; roles: (string | object)[] },
): Promise<void> {
  const digest = hash('sha256', JSON.stringify(kept));
  const { users } = await admin.command({ usersInfo: { user, db: 'admin' }, showCustomData: true });
  if (users[0]?.customData?.digest === digest) return;
  const change = users.length === 0 ? 'createUser' : 'updateUser';
  await admin.command({ [change]: user, ...kept, customData: { digest } });
}
