import { type Db, MongoClient } from 'mongodb';
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
  for (const service of databaseOwners) {
    const { user, password: pwd } = userOf(roots, 'mongodb', service);
    await keepMongodbUser(admin, {
      user,
      pwd,
      roles: [{ role: 'readWrite', db: `${databasePrefix}_${service}` }],
    });
  }
}

/** The same at the server of a URI, whose user may make others. */
export async function keepMongodbUsersAt(
  uri: string,
  wanted: { roots: Roots; databasePrefix: string },
): Promise<void> {
  const client = new MongoClient(uri);
  try {
    await keepMongodbUsers(client.db('admin'), wanted);
  } finally {
    await client.close();
  }
}

/** A user who is there gets this password and these roles. */
export async function keepMongodbUser(
  admin: Db,
  { user, ...kept }: { user: string; pwd: string; roles: (string | object)[] },
): Promise<void> {
  const { users } = await admin.command({ usersInfo: user });
  await admin.command({ [users.length === 0 ? 'createUser' : 'updateUser']: user, ...kept });
}
