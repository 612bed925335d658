import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documented } from './client-scripts.ts';
import { type Clients, compile, installClients } from './clients.ts';
import { shareInstallation } from './installation.ts';

/** The types of the package for TypeScript, as it is installed from a running server. */
let clients: Clients;

beforeAll(async () => {
  const { url, key } = await shareInstallation();
  clients = await installClients({ url, key, languages: ['TypeScript'] });
});
afterAll(async () => {
  await clients[Symbol.asyncDispose]();
});

test('the types of the package are all that a compiler needs', async () => {
  const compiled = await compile(
    clients,
    'typed.ts',
    `import { AssayError, evaluate, type Evaluation } from 'assay';
import { evaluates } from 'assay/vitest';
const system = ({ q }: { q: string }) => ({ a: q.length });
export const result: Evaluation = await evaluate('P', { testset: 'T', system, scores: { S: ({ outputs }) => outputs.a } });
export const local = evaluate('P', { local: true, testcases: 'f.jsonl', system: (_inputs, { signal }) => signal.aborted });
evaluates('P', { testset: 'T' }, ({ inputs }) => inputs);
export const code: 1 | 2 = new AssayError('x').exitCode;
// @ts-expect-error: a slip is found.
await evaluate('P', { testset: 'T', sistem: () => 1 });
// @ts-expect-error: a field that the system does not answer is found.
await evaluate('P', { testset: 'T', system, scores: { S: ({ outputs }) => outputs.b } });
`,
  );
  expect(compiled).toEqual([0, '']);
});

test('no type of the package is any', async () => {
  const folder = join(clients.folder, 'node_modules/assay');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.d.ts'));
  expect(files).toContain('evaluation.d.ts');
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8');
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    expect(
      code.split('\n').filter((line) => /\bany\b/.test(line)),
      file,
    ).toEqual([]);
  }
});

test('the code of the page and of the README compiles as it stands, where the compiler is strict', async () => {
  for (const [name, pattern] of [
    ['page.ts', /evaluate\b/],
    ['page-vitest.ts', /evaluates/],
  ] as const)
    expect(await compile(clients, name, documented('ts', pattern))).toEqual([0, '']);
});
