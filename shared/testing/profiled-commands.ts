import { MongoClient } from 'mongodb';

/** A command that a database was given. */
export interface ProfiledCommand {
  /** The database's name without its prefix: the service. */
  service: string;
  collection: string;
  command: Record<string, unknown>;
}

/**
 * Makes every database whose name begins with `<prefix>_` record its commands. The returned
 * function ends this and returns them.
 */
export async function profileCommands(
  uri: string,
  prefix: string,
): Promise<() => Promise<ProfiledCommand[]>> {
  const client = await MongoClient.connect(uri);
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  const names = databases.map(({ name }) => name).filter((name) => name.startsWith(`${prefix}_`));
  for (const name of names) await client.db(name).command({ profile: 2 });
  return async () => {
    const commands: ProfiledCommand[] = [];
    for (const name of names) {
      await client.db(name).command({ profile: 0 });
      const profiled = client
        .db(name)
        .collection('system.profile')
        .find({ op: { $ne: 'getmore' }, ns: { $ne: `${name}.system.profile` } });
      for await (const { ns, command } of profiled)
        commands.push({
          service: name.slice(prefix.length + 1),
          collection: ns.slice(name.length + 1),
          command,
        });
    }
    await client.close();
    return commands;
  };
}
