// `node scripts/new-service.mjs NAME`: makes services/NAME in the shape that every service has, with one operation, `GET /NAME/ping`,
// and its contract, and adds it to the lists of contracts and packages, to the laptop and to docker-compose.yml. Prints the commands that are left.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fail, root } from './prepare.mjs';

const [name, folder = root] = process.argv.slice(2);
if (!name || !/^[a-z]+(-[a-z]+)*$/.test(name))
  fail('Name the service in lower case, with hyphens: node scripts/new-service.mjs run-records');
if (existsSync(join(folder, 'services', name))) fail(`There is a service "${name}" already.`);

// Every package has the version and the licence of the whole.
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const camel = name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
const capital = camel[0].toUpperCase() + camel.slice(1);
const variable = `${name.toUpperCase().replaceAll('-', '_')}_URL`;

const files = {
  [`shared/contracts/${name}.ts`]: `import { z } from 'zod';
import { operation, service } from './define.ts';

export const ${camel} = service({
  name: '${name}',
  summary: 'The service ${name}',
  operations: {
    ping${capital}: operation({
      method: 'GET',
      path: '/${name}/ping',
      summary: 'Say whether the database answers',
      reply: z.object({ answers: z.literal(true) }),
      status: 200,
    }),
  },
});
`,
  [`services/${name}/package.json`]: `${JSON.stringify(
    {
      name: `@assay/${name}`,
      version,
      private: true,
      license,
      type: 'module',
      exports: {
        './service': {
          'assay-source': './src/service.ts',
          types: './dist/service.d.ts',
          default: './dist/service.js',
        },
      },
      dependencies: { '@assay/contracts': version, '@assay/runtime': version },
      devDependencies: { '@assay/testing': version },
    },
    null,
    2,
  )}
`,
  [`services/${name}/tsconfig.json`]: `{
  "extends": "../../tsconfig.base.json",
  "compilerOptions": { "rootDir": "src", "outDir": "dist" },
  "include": ["src"],
  "references": [{ "path": "../../shared/contracts" }, { "path": "../../shared/runtime" }]
}
`,
  [`services/${name}/README.md`]: `# ${name}

- **Owns** nothing yet.
- **Serves** \`GET /${name}/ping\`.
- **Asks** nobody. **Announces** nothing.
- **Configuration**: what every service is told; see \`.env.example\`.
- **When MongoDB is down**: 503, and it recovers by itself. **When NATS is down**: it goes on.
`,
  [`services/${name}/src/main.ts`]: `import { readConfig, serviceConfig } from '@assay/runtime/config';
import { run } from '@assay/runtime/run';
import { start } from './service.ts';

await run({ config: () => readConfig(serviceConfig), start });
`,
  [`services/${name}/src/service.ts`]: `import { ${camel} } from '@assay/contracts/${name}';
import type { ServiceConfig } from '@assay/runtime/config';
import type { Log } from '@assay/runtime/log';
import { type RunningService, startService } from '@assay/runtime/service';
import { createAnswers } from './bus.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createStore } from './store.ts';

/** The service ${name}. */
export function start(config: ServiceConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: ${camel},
    config,
    migrations,
    ownerships: {},
    log,
    compose: ({ database }) => ({ routes: createRoutes(createDomain({ store: createStore(database) })), answers: createAnswers() }),
  });
}
`,
  [`services/${name}/src/routes.ts`]: `import type { Handlers } from '@assay/contracts/define';
import type { ${camel} } from '@assay/contracts/${name}';
import type { Domain } from './domain.ts';

export const createRoutes = (domain: Domain): Handlers<typeof ${camel}> => ({
  ping${capital}: () => domain.ping(),
});
`,
  [`services/${name}/src/bus.ts`]: `import type { Answers } from '@assay/contracts/define';
import type { ${camel} } from '@assay/contracts/${name}';

export const createAnswers = (): Answers<typeof ${camel}> => ({});
`,
  [`services/${name}/src/domain.ts`]: `import type { Store } from './store.ts';

export type Domain = ReturnType<typeof createDomain>;

export function createDomain({ store }: { store: Store }) {
  return {
    ping: async (): Promise<{ answers: true }> => {
      await store.ping();
      return { answers: true };
    },
  };
}
`,
  [`services/${name}/src/store.ts`]: `import type { Database } from '@assay/runtime/mongo/database';

export type Store = ReturnType<typeof createStore>;

export const createStore = (database: Database) => ({
  ping: () => database.ping(),
});
`,
  [`services/${name}/src/migrations.ts`]: `import type { Migration } from '@assay/runtime/mongo/migrations';

export const migrations: Migration[] = [];
`,
  [`services/${name}/test/service.test.ts`]: `import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { '${name}': start } });
});
afterAll(() => world.stop());

test('the service answers', async () => {
  const reply = await world.request('GET', '/${name}/ping');
  expect([reply.status, reply.body]).toEqual([200, { answers: true }]);
});
`,
};

for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const own = name.includes('-') ? `'${name}'` : name;
insert('shared/contracts/all.ts', [
  [/(?=\nconst all = )/, `import { ${camel} } from './${name}.ts';\n`],
  [/,?\s*\](?= as const;)/, `, ${camel}]`],
]);
insert('shared/contracts/permissions.ts', [
  [
    /(?=\n\/\*\* A process that has keys of its own)/,
    `import type { ${camel} } from './${name}.ts';\n`,
  ],
  [/(?=\} = \{\n {2}identity: \{)/, `  ${own}: Permissions<typeof ${camel}>;\n`],
  [
    /(?=\};\n\n\/\*\* Asks every service with a database)/,
    `  ${own}: { asked: {}, called: {}, heard: {}, published: {} },\n`,
  ],
]);
insert('shared/contracts/erasing-services.ts', [
  [/(?= {2}'identity',\n\] as const)/, `  '${name}',\n`],
]);
insert('bench/src/neighbours/operations.ts', [
  [
    /(?=\};\n\n\/\*\* The same for each tool of agents)/,
    `\n  // ${name}\n  ping${capital}: 'reads one document',\n`,
  ],
]);
insert('tsconfig.json', [
  [/(?= {4}\{ "path": "gateway" \})/, `    { "path": "services/${name}" },\n`],
]);
insert('local/tsconfig.json', [
  [/(?= {4}\{ "path": "\.\.\/gateway" \})/, `    { "path": "../services/${name}" },\n`],
]);
insert('local/package.json', [[/(?= {4}"commander")/, `    "@assay/${name}": "${version}",\n`]]);
insert('local/src/services.ts', [
  [
    /(?=\ninterface ServicesOptions)/,
    `import { start as start${capital} } from '@assay/${name}/service';\n`,
  ],
  [/(?= {2}\};\n {2}const urls = )/, `    ${own}: () => start${capital}(config, log),\n`],
]);
insert('docker-compose.yml', [
  [
    /(?= {6}RATE_LIMIT_PER_MINUTE:.*\n {6}METRICS_PORT:)/,
    `      ${variable}: http://${name}:8080\n`,
  ],
  [/(?=\n {2}identity:\n)/, `      ${name}: { condition: service_healthy }\n`],
  [
    /(?= {2}# The operator's commands)/,
    `  ${name}:\n    <<: *process\n    build: { context: ., args: { SERVICE: ${name} } }\n    volumes: [{ <<: *keys, volume: { subpath: ${name} } }]\n    environment: *service\n\n`,
  ],
]);
insert('.env.example', [
  [/(?<=\n# Base URLs of the processes of each service, .*\n)/, `# ${variable}=\n`],
]);

process.stdout.write(`services/${name} and shared/contracts/${name}.ts are made; gateway, laptop and docker-compose.yml start it. Left to do:
  npm install                     links the package
  npx biome check --write .       sorts the new imports
  npm run generate                writes docs/openapi.json, docs/events.md and docs/permissions.md anew
npm test names anything that is still missing.
`);

/** Inserts each text at the one place that its pattern matches. */
function insert(path, texts) {
  let text = readFileSync(join(folder, path), 'utf8');
  for (const [place, added] of texts) {
    if (text.match(new RegExp(place, 'g'))?.length !== 1)
      fail(`${path} is not of the form in which a service can be added to it.`);
    text = text.replace(place, () => added);
  }
  writeFileSync(join(folder, path), text);
}
