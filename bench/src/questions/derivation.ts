import { createSchemaChecker } from '@assay/json-schema/schema';
import { countBusQuestions } from '../bus-questions.ts';
import { millisecondsText, type Row } from '../report.ts';
import { getOf, throughGateway } from '../requests.ts';
import { alternate, errorsOf, median, medianOf, roundsCount } from '../rounds.ts';
import type { Setting } from '../setting.ts';
import { createTestset, testcaseSchema, testcasesBody } from '../testcases.ts';

const durationMs = 1000;
const items = 100;
const countedRequests = 200;

/**
 * Question 10: a page of a hundred testcases. One request at a time, so that times add up. The
 * export of the same testcases asks and reads the same and derives nothing: the additional time of
 * the page is the derivation, and the roles in its reply.
 */
export async function askDerivation(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { call } = installation;
  const { testsetId } = await createTestset(call);
  await call('POST', `/testsets/${testsetId}/testcases`, testcasesBody(items));
  const path = `/testsets/${testsetId}/testcases`;
  const page = `${path}?limit=${items}`;
  await call('GET', page);
  const questions = await countBusQuestions(installation, async () => {
    for (let request = 0; request < countedRequests; request++) await call('GET', page);
  });
  const get = (path: string) => {
    const request = getOf(throughGateway(installation), path);
    return () =>
      setting.generator.closedLoop({ ...request, connections: 1, until: { durationMs } });
  };
  const measured = await alternate({
    without: get(`${path}/export?format=ndjson`),
    derived: get(page),
  });
  const whole = medianOf(measured.derived, 'p50Ms');
  const share = median(
    measured.derived.map(({ p50Ms }, round) => (p50Ms - measured.without[round]!.p50Ms) / p50Ms),
  );
  const checking = await timeChecking();
  return [
    {
      question: '10',
      measure: 'bus questions for a page of 100 testcases',
      ours: (questions / countedRequests).toFixed(2),
      reach: '1',
      isReached: questions <= countedRequests,
    },
    {
      question: '10',
      measure: 'a page of 100 testcases; baseline: their export, nothing derived',
      baseline: millisecondsText(medianOf(measured.without, 'p50Ms')),
      ours: millisecondsText(whole),
      ratio: `${(share * 100).toFixed(0)} %`,
      // Wanted were 30 %, which was easy.
      reach: '≤ 25 %',
      isReached: share <= 0.25,
      errors: errorsOf([...measured.derived, ...measured.without]),
    },
    {
      question: '10',
      measure: '  of it, the check of 100 against the schema alone',
      ours: millisecondsText(checking),
      ratio: `${((checking / whole) * 100).toFixed(0)} %`,
    },
  ];
}

/**
 * How long the checker of the testcases service takes for a page, in ms: its worker thread and the
 * way there and back.
 */
async function timeChecking(): Promise<number> {
  const schemas = createSchemaChecker();
  const schemaText = JSON.stringify(testcaseSchema);
  const documents = testcasesBody(items).items.map(({ jsonData }) =>
    Buffer.from(JSON.stringify(jsonData)),
  );
  const timesMs: number[] = [];
  for (let turn = 0; turn < 200 * (roundsCount + 1); turn++) {
    const startMs = performance.now();
    await schemas.validate({ schemaText, schemaHash: 'benchmark', documents });
    timesMs.push(performance.now() - startMs);
  }
  await schemas.close();
  return median(timesMs.slice(200));
}
