import { countBusQuestions } from '../bus-questions.ts';
import { createRun, recordBody } from '../records.ts';
import type { Row } from '../report.ts';
import { linesTo, throughGateway } from '../requests.ts';
import type { Setting } from '../setting.ts';
import { createTestset, testcasesBody } from '../testcases.ts';

const recordsCount = 200;

/** Question 7: questions on the bus a record, when its run is known. */
export async function askRecordQuestions(setting: Setting): Promise<Row[]> {
  const installation = await setting.installation();
  const { call } = installation;
  const singly = (runId: string, bodies: object[]) => async () => {
    for (const body of bodies) await call('POST', `/runs/${runId}/records`, body);
  };
  const asLines = (runId: string, bodies: object[]) => async () => {
    const request = linesTo(throughGateway(installation), `/runs/${runId}/records/bulk`);
    const lines = bodies.map((body) => JSON.stringify(body));
    const { accepted } = await setting.generator.upload({
      ...request,
      lines,
      bodiesAtOnce: 1,
      until: { count: lines.length },
    });
    if (accepted !== lines.length)
      throw new Error(`Of ${lines.length} lines ${accepted} were taken.`);
  };
  const toRow = async (measure: string, most: number, work: () => Promise<void>): Promise<Row> => {
    const questions = (await countBusQuestions(installation, work)) / recordsCount;
    const reach = most === 0 ? '0' : `≤ ${most}`;
    return {
      question: '7',
      measure,
      ours: questions.toFixed(2),
      reach,
      isReached: questions <= most,
    };
  };

  const plain = {
    runId: await createKnownRun(setting),
    bodies: Array.from({ length: recordsCount }, () => recordBody),
  };
  const [one, other] = [await createTestedRun(setting), await createTestedRun(setting)];
  return [
    await toRow('bus questions a record whose run is known', 0, singly(plain.runId, plain.bodies)),
    await toRow('  with a testcase that was never seen', 1, singly(one.runId, one.bodies)),
    await toRow('  with a testcase that was seen', 0, singly(one.runId, one.bodies)),
    await toRow('bus questions a line of NDJSON', 0, asLines(plain.runId, plain.bodies)),
    await toRow('  with a testcase that was never seen', 1, asLines(other.runId, other.bodies)),
    await toRow('  with a testcase that was seen', 0, asLines(other.runId, other.bodies)),
  ];
}

async function createKnownRun(setting: Setting): Promise<string> {
  const { call } = await setting.installation();
  const runId = await createRun(call);
  await call('POST', `/runs/${runId}/records`, recordBody);
  return runId;
}

/** A known run of a testset, and a body for each of its testcases. */
async function createTestedRun(setting: Setting): Promise<{ runId: string; bodies: object[] }> {
  const { call } = await setting.installation();
  const { projectId, testsetId } = await createTestset(call);
  const bodies: object[] = [];
  while (bodies.length < recordsCount) {
    const { items } = await call('POST', `/testsets/${testsetId}/testcases`, testcasesBody(100));
    bodies.push(...items.map(({ id }: { id: string }) => ({ ...recordBody, testcaseId: id })));
  }
  const { id: runId } = await call('POST', `/projects/${projectId}/runs`, {
    metricIds: [],
    testsetId,
  });
  await call('POST', `/runs/${runId}/records`, recordBody);
  return { runId, bodies };
}
