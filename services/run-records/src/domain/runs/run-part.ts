import type { Identity, Request } from '@assay/contracts/define';
import type { Issue } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import type { Run, runRecords } from '@assay/contracts/run-records';
import { whereIssues } from '@assay/contracts/testcase-part';
import type { RunPart, StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';

type RunBody = Pick<
  Request<(typeof runRecords)['operations']['createRun']>['body'],
  'testsetId' | 'numTestcases' | 'where' | 'keys'
>;

/** The part of a testset that a run is about, or what is wrong with it. */
export type PartOfRun =
  | { kind: 'whole' }
  | { kind: 'part'; part: RunPart }
  | { kind: 'wrong'; issues: Issue[] };

const whole: PartOfRun = { kind: 'whole' };
const wrong = (...issues: Issue[]): PartOfRun => ({ kind: 'wrong', issues });

/** Finds out how many testcases a new run is about; its testset is one of the project. */
export async function findPart(
  { ask }: Pick<Dependencies, 'ask'>,
  identity: Identity,
  { body, count }: { body: RunBody; count: number },
): Promise<PartOfRun> {
  const { numTestcases, where, keys } = body;
  if (numTestcases === undefined && where === undefined && keys === undefined) return whole;
  if (numTestcases !== undefined) return numberedPart({ where, keys, numTestcases }, count);
  const issues = where ? whereIssues(where.toString()) : [];
  if (issues.length > 0)
    return wrong(...issues.map(({ path, message }) => ({ path: `/where${path}`, message })));
  const chosen = {
    ...(where ? { where: where.toString() } : {}),
    ...(keys ? { keys: [...new Set(keys)] } : {}),
  };
  const found = await countPart(ask, identity, { testsetId: body.testsetId!, ...chosen });
  if (found.unknownKeys.length > 0)
    return wrong(
      ...found.unknownKeys.map((key) => ({
        path: `/keys/${keys!.indexOf(key)}`,
        message: 'is not the key of a testcase of the testset',
      })),
    );
  if (found.count === 0)
    return wrong({
      path: '/where',
      message: keys
        ? 'holds for none of the testcases with these keys'
        : 'holds for no testcase of the testset',
    });
  return { kind: 'part', part: { numTestcases: found.count, of: count, ...chosen } };
}

/** What is wrong with a part of a run that has no testset. */
export function issuesWithoutTestset({ numTestcases, where, keys }: RunBody): Issue[] {
  return Object.entries({ numTestcases, where, keys }).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [{ path: `/${name}`, message: 'needs a testset, whose testcases are meant' }],
  );
}

function numberedPart(
  { numTestcases, where, keys }: RunBody & { numTestcases: number },
  count: number,
): PartOfRun {
  const path = '/numTestcases';
  if (where !== undefined || keys !== undefined)
    return wrong({ path, message: 'cannot be given with `where` or `keys`, which say how many' });
  if (count === 0)
    return wrong({ path, message: 'has to be left out: the testset has no testcases' });
  if (numTestcases > count)
    return wrong({ path, message: `must be at most ${count}, the testcases of the testset` });
  return { kind: 'part', part: { numTestcases, of: count } };
}

async function countPart(
  ask: Dependencies['ask'],
  identity: Identity,
  part: { testsetId: string; where?: string; keys?: string[] },
): Promise<{ count: number; unknownKeys: string[] }> {
  let count = 0;
  for await (const { ids, unknownKeys } of pagesOfPart(ask, identity, part)) {
    if (unknownKeys.length > 0) return { count, unknownKeys };
    count += ids.length;
  }
  return { count, unknownKeys: [] };
}

/** The testcases of a part of a testset, oldest first, page by page. */
export async function* pagesOfPart(
  ask: Dependencies['ask'],
  identity: Identity,
  part: {
    testsetId: string;
    where?: string | undefined;
    keys?: string[] | undefined;
    before?: string | undefined;
  },
): AsyncGenerator<{ ids: string[]; unknownKeys: string[] }> {
  let after: string | undefined;
  do {
    const page = await ask.testcases.part(identity, { ...part, after });
    yield page;
    after = page.next ?? undefined;
  } while (after !== undefined);
}

/** What a run says about the part that it is about. */
export function partReply({
  part,
}: Pick<StoredRun, 'part'>): Pick<Run, 'numTestcases' | 'numTestsetTestcases' | 'where' | 'keys'> {
  if (!part) return {};
  const { numTestcases, of, where, keys } = part;
  return {
    numTestcases,
    numTestsetTestcases: of,
    ...(where === undefined ? {} : { where: new JsonText(where) }),
    ...(keys === undefined ? {} : { keys }),
  };
}
