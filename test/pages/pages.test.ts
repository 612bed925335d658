import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type MockProviders,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { type Clients, hasPython, installClients } from '../system/clients.ts';
import { type Installation, startInstallation } from '../system/installation.ts';
import { type Block, blocksIn, blocksOf, fileOf, pageNames, placeOf, readPage } from './blocks.ts';
import { checkOf } from './checks.ts';
import { isLeftOut, leftOut, names } from './left-out.ts';
import { createReader, writeNpm } from './reader.ts';
import { follow, isAsShown, isOutput, saving, stepsOf } from './session.ts';
import { answerAsModel } from './stand-in-model.ts';
import { takenForGranted } from './taken-for-granted.ts';

const pages = pageNames.map((page) => ({ page, blocks: blocksOf(page) }));
const all = pages.flatMap(({ blocks }) => blocks);

let assay: Installation;
let judge: MockProviders;
let clients: Clients;
let bin: string;
beforeAll(async () => {
  judge = await startMockProviders(answerAsModel);
  assay = await startInstallation({ scoring: judge.config({ JUDGE_CACHE_DAYS: '1' }) });
  const languages = (await hasPython()) ? ['Python' as const] : [];
  clients = await installClients({
    url: assay.url,
    key: assay.key,
    languages: ['TypeScript', ...languages],
  });
  bin = await writeNpm(clients.folder);
});
afterAll(async () => {
  await clients?.[Symbol.asyncDispose]();
  await assay?.stop();
  await judge?.stop();
});

const followed = pages.filter(({ blocks }) => stepsOf(blocks, isLeftOut).length > 0);

/** The first lines of the first conversation, which other pages refer to. */
const functions = blocksOf('docs/first-conversation.md')[0]!.text;

test.concurrent.each(followed)(
  'the commands of $page, pasted one block after the other, do and print what it says',
  async ({ page, blocks }) => {
    const source = readPage(page);
    const logsIn = source.includes('\nassay login ');
    const reader = await createReader({ page, bin, assay, clients, logsIn });
    const {
      environment = {},
      variables = {},
      replaced = {},
      stop,
    } = (await takenForGranted[page]?.(reader, { assay, judge })) ?? {};
    const here = (text: string) =>
      Object.entries({
        'http://127.0.0.1:4400': assay.url,
        'https://assay.example.com': assay.url,
        'https://other.example.com': assay.url,
        'https://api.openai.com/v1': `http://127.0.0.1:${judge.port}/openai/v1`,
        'ak_…': reader.key,
        ...replaced,
      }).reduce((done, [shown, own]) => done.replaceAll(shown, own), text);
    const steps = stepsOf(blocks, isLeftOut).map((step) => ({
      ...step,
      commands: here(step.commands),
    }));
    const usesFunctions = /^(.*\W)?api [A-Z]+ /m.test(steps.map((step) => step.commands).join(''));
    const isOwn = blocks.some(({ text }) => text.includes('\napi() {'));
    const assignments = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
    steps[0]!.commands = [
      usesFunctions && !isOwn ? functions : '',
      ...assignments,
      steps[0]!.commands,
    ].join('');
    const ends = await follow(steps, { ...reader.environment, ...environment }, reader.folder);
    const there = (text: string) =>
      text
        .replaceAll(assay.url, 'http://127.0.0.1:4400')
        .replaceAll(`http://127.0.0.1:${judge.port}/openai/v1`, 'https://api.openai.com/v1')
        .replaceAll(reader.folder, '.');
    for (const { step, printed, failed } of ends) {
      const { shown } = step;
      const told = there(printed);
      expect(failed, `${placeOf(step.block)} failed, and printed:\n${told}`).toBe('');
      if (shown && !isAsShown(told, shown.text)) expect(told, placeOf(shown)).toBe(shown.text);
    }
    stop?.();
    await rm(reader.folder, { recursive: true });
  },
);

/** The file that `assay` reads by itself. */
const readUnnamed = 'assay.yaml';

/** How a block is proved: undefined for one that nothing covers. */
function proofOf(block: Block, blocks: Block[]): Proof | undefined {
  if (isLeftOut(block)) return 'left out';
  if (block.kind === 'bash') return 'run';
  if (fileOf(block)) return 'saved and used';
  if (block.kind !== 'text') return checkOf(block) && 'checked';
  const before = blocks[blocks.indexOf(block) - 1];
  const isShown = isOutput(block) && before && !isLeftOut(before) && before.kind === 'bash';
  if (isShown) return 'compared';
  return isCommand(block) ? undefined : 'illustration';
}
type Proof = 'run' | 'saved and used' | 'compared' | 'checked' | 'illustration' | 'left out';

/** Commands belong into a block of `bash`, which is run. */
const isCommand = ({ text }: Block): boolean =>
  /^\s*(\$ |npm |npx |assay |api |curl |pip |python3? |node |docker |claude |export )/m.test(text);

test('every block is run, saved and used, compared, checked, an illustration, or left out for a reason', () => {
  const proofs = pages.flatMap(({ blocks }) =>
    blocks.map((block) => ({ place: placeOf(block), proof: proofOf(block, blocks) })),
  );
  expect(proofs.filter(({ proof }) => !proof).map(({ place }) => place)).toEqual([]);
  const count = (wanted: Proof) => proofs.filter(({ proof }) => proof === wanted).length;
  expect(count('left out')).toBe(leftOut.length);
  expect(count('run')).toBeGreaterThan(count('left out'));
  const isUsed = (block: Block) =>
    fileOf(block) === readUnnamed ||
    all.some((one) => one !== block && one.text.includes(fileOf(block)!.split('/').at(-1)!));
  const files = all.filter((block) => fileOf(block));
  expect(files.filter((block) => !isUsed(block)).map(placeOf)).toEqual([]);
});

test('each block that is left out is there, once', () => {
  for (const one of leftOut)
    expect(
      all.filter((block) => names(one, block)),
      `${one.page}: ${one.begins}`,
    ).toHaveLength(1);
});

test.each(
  all.flatMap((block) => {
    const check = !isLeftOut(block) && !fileOf(block) && checkOf(block);
    return check ? [{ place: placeOf(block), block, check }] : [];
  }),
)('$place holds', async ({ block, check }) => {
  await check(block, assay);
});

test('a block of no known kind, a command in a text, and an output that is not as shown are found', () => {
  const source =
    'Do:\n\n```ini\na=1\n```\n\nThen:\n\n```text\nnpm start\n```\n\n```text\nout\n```\n';
  const blocks = blocksIn('page.md', source);
  expect(blocks.map((block) => [block.line, proofOf(block, blocks)])).toEqual([
    [3, undefined],
    [9, undefined],
    [13, 'illustration'],
  ]);
  expect(isAsShown('a 12 b\nx\ny\nend\n', 'a … b\n…\nend\n')).toBe(true);
  expect(isAsShown('a 12 c\n', 'a … b\n')).toBe(false);
  expect(isAsShown('a\nb\n', 'a\n')).toBe(false);
  expect(saving('one/two.txt', 'x\n')).toContain("mkdir -p 'one'");
});
