import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { root } from '../imports.ts';
import type { Clients } from '../system/clients.ts';
import { type Call, callAt, type Installation } from '../system/installation.ts';

/** Somebody who follows one page, in an organization and a folder of their own. */
export interface Reader {
  call: Call;
  key: string;
  folder: string;
  environment: Record<string, string>;
  write(name: string, content: string | object): Promise<void>;
}

/** The programs that `npm run` starts; it would install and build each time. */
const programs: Record<string, string> = {
  admin: 'dist/bundle/admin.js',
  assay: 'dist/bundle/assay.js',
  gate: 'dist/bundle/gate.js',
};

/** A folder with an `npm` whose `run` starts what was built, and which is npm in all else. */
export async function writeNpm(folder: string): Promise<string> {
  const bin = join(folder, 'reader-bin');
  await mkdir(bin);
  const cases = Object.entries(programs).map(
    ([name, path]) => `${name}) exec node '${join(root, path)}' "$@";;`,
  );
  await writeFile(
    join(bin, 'npm'),
    `#!/bin/bash
if [ "$1" != run ]; then PATH="\${PATH#*:}" exec npm "$@"; fi
shift; [ "$1" = --silent ] && shift; name=$1; shift; [ "$1" = -- ] && shift
case $name in ${cases.join(' ')} esac
echo "no program $name"; exit 1
`,
  );
  await chmod(join(bin, 'npm'), 0o755);
  return bin;
}

/**
 * Makes a reader whose folder is below that of the clients, so that scripts find the package
 * `assay`. Who logs in on the page has neither address nor key in the environment.
 */
export async function createReader({
  page,
  bin,
  assay,
  clients,
  logsIn,
}: {
  page: string;
  bin: string;
  assay: Installation;
  clients: Clients;
  logsIn: boolean;
}): Promise<Reader> {
  const { key } = await assay.newOrganization(page);
  const folder = join(clients.folder, page.replaceAll(/\W/g, '-'));
  await mkdir(join(folder, '.assay'), { recursive: true });
  const { ASSAY_URL, ASSAY_API_KEY, ...others } = clients.environment;
  const installed = join(clients.folder, 'node_modules/.bin');
  const own = join(folder, 'npm', 'bin');
  const { config } = assay;
  const write: Reader['write'] = async (name, content) => {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(
      join(folder, name),
      typeof content === 'string' ? content : `${JSON.stringify(content)}\n`,
    );
  };
  await write('.assay/admin-key', `${key}\n`);
  await write('.assay/running.json', {
    natsUrl: config.NATS_URL[0],
    operatorSecret: config.ASSAY_OPERATOR_SECRET,
    subjectPrefix: config.SUBJECT_PREFIX,
    apiUrl: `${assay.url}/v2`,
    mongodbUri: config.MONGODB_URI,
    databasePrefix: config.DATABASE_PREFIX,
    attachmentsFolder: assay.attachmentsFolder,
  });
  return {
    call: callAt(assay.url, key),
    key,
    folder,
    write,
    environment: {
      ...others,
      ...(logsIn ? {} : { ASSAY_URL: ASSAY_URL!, ASSAY_API_KEY: key }),
      ASSAY: assay.url,
      PATH: [bin, own, installed, others.PATH].join(delimiter),
      XDG_CONFIG_HOME: join(folder, 'config'),
      npm_config_prefix: join(folder, 'npm'),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      PIP_TARGET: join(folder, 'pip'),
      OPENAI_API_KEY: 'openai-key-0123456789',
    },
  };
}
