import type { Client } from '@assay/client/client';
import type { BodyOf, ItemOf } from '@assay/client/operations';
import { writeJson } from '@assay/json/write';
import type { ServerOptions, Testcase } from './evaluation.ts';
import { AssayError } from './failure.ts';
import { chooseTestcases } from './testcases.ts';
import type { Run } from './waiting.ts';

type RunBody = BodyOf<'POST', '/projects/:projectId/runs'>;
type ListedTestcase = ItemOf<'/testsets/:testsetId/testcases'>;

/** A testcase of a server. */
export interface StoredTestcase extends Testcase {
  id: string;
}

/** The options that choose testcases. */
type Choice = Pick<ServerOptions, 'limit' | 'sample' | 'seed' | 'where' | 'keys'>;

interface Subject {
  client: Client;
  testset: { id: string; name: string };
  choice: Choice;
}

/** Keys in one question, and their characters in its address. */
const keysAtOnce = 100;
const keyCharactersAtOnce = 8_000;
/** Keys that a run takes, and their characters. */
export const runKeysMax = { count: 1_000, characters: 64 * 1_024 };
/** Ids of testcases that the search for a baseline is told. */
const toldIdsMax = 10_000;

/** Whether these options mean a part of a testset. */
export const isPart = ({ limit, sample, where, keys }: Choice): boolean =>
  [limit, sample, where, keys].some((value) => value !== undefined);

/** The testcases that the options mean, as they come in. */
export async function* testcasesOf(subject: Subject): AsyncGenerator<StoredTestcase> {
  for await (const testcase of chooseTestcases(listed(subject), subject.choice)) {
    const { jsonData, inputs, expected } = testcase;
    const metadata = Object.entries(jsonData).filter(
      ([name]) => !Object.hasOwn(inputs, name) && !Object.hasOwn(expected, name),
    );
    yield { ...testcase, metadata: Object.fromEntries(metadata) };
  }
}

/**
 * The ids of the testcases that the options mean, or many of them; undefined for the whole testset.
 * @throws AssayError where the options mean none.
 */
export async function testcaseIdsOf(subject: Subject): Promise<string[] | undefined> {
  if (!isPart(subject.choice)) return undefined;
  const ids: string[] = [];
  for await (const { id } of chooseTestcases(listed(subject, { preview: '0' }), subject.choice))
    if (ids.push(id) === toldIdsMax) break;
  if (ids.length === 0) throw new AssayError(noTestcase(subject));
  return ids;
}

function noTestcase({ testset, choice: { where } }: Subject): string {
  const name = JSON.stringify(testset.name);
  return where
    ? `No testcase of the testset ${name} meets \`where\`: ${writeJson(where)}.`
    : `The testset ${name} has no testcases.`;
}

/** What a new run says about its part of the testset. */
export async function partBody(
  subject: Subject,
): Promise<Pick<RunBody, 'numTestcases' | 'where' | 'keys'>> {
  const { limit, sample, where, keys } = subject.choice;
  const wanted = limit ?? sample;
  if (wanted !== undefined) return { numTestcases: await countUpTo(wanted, subject) };
  // A run cannot name so many testcases: it only says how many.
  if (keys && areTooMany(keys))
    return { numTestcases: where ? await countUpTo(keys.length, subject) : keys.length };
  return { ...(where ? { where } : {}), ...(keys ? { keys } : {}) };
}

const areTooMany = (keys: readonly string[]): boolean =>
  keys.length > runKeysMax.count ||
  keys.reduce((sum, key) => sum + key.length, 0) > runKeysMax.characters;

/**
 * The choice of testcases for a run that is completed: that of the run, where it says which they
 * are.
 * @throws AssayError where only the options can say so, and do not.
 */
export function choiceOfResumed(run: Run, options: Choice): Choice {
  const { limit, sample, seed } = options;
  const { numTestcases, numTestsetTestcases, where, keys } = run;
  if (numTestcases === undefined) return options;
  if (where || keys)
    return { limit, sample, seed, ...(where ? { where } : {}), ...(keys ? { keys } : {}) };
  const many = options.keys && areTooMany(options.keys) ? options.keys.length : undefined;
  if (many !== undefined && options.where) return options;
  const given = limit ?? sample ?? many;
  const isSame =
    given === numTestcases || (numTestcases === numTestsetTestcases && (given ?? 0) > numTestcases);
  if (isSame) return options;
  throw new AssayError(
    `The run ${run.id} is over ${numTestcases} testcases: give the \`limit\`, or the \`sample\` and \`seed\`, that it was begun with.`,
  );
}

async function* listed(
  { client, testset, choice: { where, keys } }: Subject,
  query: { preview?: string } = {},
): AsyncGenerator<ListedTestcase> {
  const params = { testsetId: testset.id };
  const wanted = { ...query, ...(where ? { where: writeJson(where) } : {}) };
  if (!keys) {
    yield* client.list('/testsets/:testsetId/testcases', { params, query: wanted });
    return;
  }
  for (const key of batchesOf(keys)) {
    await checkKeys({ client, testset }, key);
    yield* client.list('/testsets/:testsetId/testcases', { params, query: { ...wanted, key } });
  }
}

/** The keys, in lists that the address of a question has room for. */
function* batchesOf(keys: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const key of keys) {
    batch.push(key);
    characters += encodeURIComponent(key).length;
    if (batch.length < keysAtOnce && characters < keyCharactersAtOnce) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** @throws AssayError for a key that no testcase has. */
async function checkKeys(
  { client, testset }: Pick<Subject, 'client' | 'testset'>,
  key: string[],
): Promise<void> {
  const known = new Set<string | undefined>();
  for await (const testcase of client.list('/testsets/:testsetId/testcases', {
    params: { testsetId: testset.id },
    query: { key, preview: '0' },
  }))
    known.add(testcase.key);
  const unknown = key.find((each) => !known.has(each));
  if (unknown !== undefined)
    throw new AssayError(
      `The testset ${JSON.stringify(testset.name)} has no testcase with the key ${JSON.stringify(unknown)}.`,
    );
}

async function countUpTo(wanted: number, subject: Subject): Promise<number> {
  let count = 0;
  for await (const _testcase of listed(subject, { preview: '0' })) if (++count === wanted) break;
  return count;
}
