import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { erasingServices } from '@assay/contracts/erasing-services';
import { expect, test } from 'vitest';
import { readSources, root } from './imports.ts';

const sources = readSources();
const services = [
  ...new Set(
    sources
      .map(({ path }) => /^services\/([\w-]+)\/src\/service\.ts$/.exec(path)?.[1])
      .filter((name) => name !== undefined),
  ),
];

const wiringOf = (service: string): string =>
  readFileSync(join(root, 'services', service, 'src/service.ts'), 'utf8');

test('every service with a database is among those that erase an organization', () => {
  const withDatabase = services.filter((name) => wiringOf(name).includes('startService({'));
  expect(withDatabase.toSorted()).toEqual([...erasingServices].sort());
});

/** The collections that parts of the runtime open. */
const collectionsOfParts = { createProjectLock: 'projectLanes', createFirstAnswers: 'answers' };

test.each([...erasingServices])(
  'of every collection that %s opens it is declared whose its documents are',
  (service) => {
    const opened = sources
      .filter(({ path }) => path.startsWith(`services/${service}/src/`))
      .flatMap(({ text }) => [...text.matchAll(/collection(?:<[^()]*>)?\(\s*'(\w+)'/g)])
      .map(([, name]) => name!);
    const shared = Object.entries(collectionsOfParts).flatMap(([part, collection]) =>
      sources.some(
        ({ path, text }) => path.startsWith(`services/${service}/src/`) && text.includes(part),
      )
        ? [collection]
        : [],
    );
    const [, declared = ''] = /ownerships: \{(.*?)\n {4}\},/s.exec(wiringOf(service)) ?? [];
    const names = [...declared.matchAll(/^ {6}(\w+): /gm)].map(([, name]) => name!);
    expect([...new Set([...opened, ...shared])].filter((name) => !names.includes(name))).toEqual(
      [],
    );
  },
);
