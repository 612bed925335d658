import { openDataFolder } from '../src/data-folder.ts';
import { startServers } from '../src/servers.ts';

// A launcher for the tests that kill one: it says what it started, and runs until it is killed.
const [folder, mongodPath, natsServerPath] = process.argv.slice(2);
const { folder: dataFolder } = await openDataFolder({ folder: folder!, version: '1' });
const { mongodbUri, natsUrl } = await startServers({
  dataFolder,
  cacheFolder: dataFolder,
  mongodPath,
  natsServerPath,
  log: () => undefined,
  onFatal: () => undefined,
});
process.stdout.write(`${JSON.stringify({ mongodbUri, natsUrl })}\n`);
setInterval(() => undefined, 60_000);
