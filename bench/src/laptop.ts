import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Call, callAt } from './client.ts';
import type { Program } from './program.ts';
import { say } from './report.ts';
import type { Setting } from './setting.ts';

/** Everything in one process, as `npm start` runs it. */
export interface Laptop extends Program {
  key: string;
  call: Call;
  databaseOf(service: string): string;
}

/**
 * Starts the laptop's mode on the servers of the benchmark, so that every side has the same mongod.
 * One at a time.
 */
export async function startLaptop(setting: Setting): Promise<Laptop> {
  say("Starting the laptop's mode …");
  const { mongodbUri, natsUrl } = await setting.servers();
  const folder = join(setting.folder, 'laptop');
  const environment = {
    PORT: '0',
    ASSAY_DATA_DIR: folder,
    MONGODB_URI: mongodbUri,
    NATS_URL: natsUrl,
    RATE_LIMIT_PER_MINUTE: '1000000000',
  };
  const program = await setting.start({
    name: 'laptop',
    file: 'dist/bundle/start.js',
    environment,
  });
  const key = (await readFile(join(folder, 'admin-key'), 'utf8')).trim();
  return {
    ...program,
    key,
    call: callAt(program.url, key),
    databaseOf: (service) => `assay_${service}`,
  };
}
