import type { Client } from '../client.ts';
import type { EvaluatedVersion } from '../evaluation.ts';
import { type Column, table } from '../table.ts';
import type { Reading } from './reading.ts';
import { everyFieldRight } from './task.ts';

interface ScoredRecord {
  testcaseId: string;
  inputs: { line: string };
  outputs: Reading;
  scores: { metricConfigId: string; score: { value?: unknown } }[];
}

interface Verdict {
  record: ScoredRecord;
  isRight: boolean;
}

interface Change {
  topic: string;
  line: string;
  before: Reading;
  after: Reading;
  isRight: boolean;
}

/** Tells by topic which lines the newer of two versions reads right for the first time, and which no longer; all of it read back from the service. */
export async function tellChanges({
  client,
  before,
  after,
}: {
  client: Client;
  before: EvaluatedVersion;
  after: EvaluatedVersion;
}): Promise<string[]> {
  const [topicById, old, young] = await Promise.all([
    readTopics({ client, runId: after.runId }),
    readVerdicts({ client, version: before }),
    readVerdicts({ client, version: after }),
  ]);
  const changes = [...young].flatMap(([testcaseId, { record, isRight }]): Change[] => {
    const former = old.get(testcaseId);
    if (!former || former.isRight === isRight) return [];
    const topic = topicById.get(testcaseId) ?? '';
    return [{ topic, line: record.inputs.line, before: former.record.outputs, after: record.outputs, isRight }];
  });
  const fixed = changes.filter(({ isRight }) => isRight);
  const broken = changes.filter(({ isRight }) => !isRight);
  return [
    `${after.name} reads ${fixed.length} lines right that ${before.name} read wrong, and ${broken.length} wrong that it read right:`,
    '',
    ...table({ columns: columns({ before, after }), rows: [...rows('better', fixed), ...rows('worse', broken)] }),
  ];
}

async function readTopics({ client, runId }: { client: Client; runId: string }): Promise<Map<string, string>> {
  const { testsetId } = await client.request<{ testsetId: string }>('GET', `/runs/${runId}`);
  const topicById = new Map<string, string>();
  for await (const { id, jsonData } of client.list<{ id: string; jsonData: { topic: string } }>(`/testsets/${testsetId}/testcases`)) {
    topicById.set(id, jsonData.topic);
  }
  return topicById;
}

async function readVerdicts({ client, version }: { client: Client; version: EvaluatedVersion }): Promise<Map<string, Verdict>> {
  const { metricVersionId } = version.metrics.find(({ name }) => name === everyFieldRight)!;
  const verdictById = new Map<string, Verdict>();
  for await (const record of client.list<ScoredRecord>(`/runs/${version.runId}/records`)) {
    const made = record.scores.find(({ metricConfigId }) => metricConfigId === metricVersionId);
    verdictById.set(record.testcaseId, { record, isRight: made?.score.value === true });
  }
  return verdictById;
}

const columns = ({ before, after }: { before: EvaluatedVersion; after: EvaluatedVersion }): Column[] => [
  { title: '', align: 'left' },
  { title: 'LINES', align: 'right' },
  { title: 'TOPIC', align: 'left' },
  { title: 'FOR EXAMPLE', align: 'left' },
  { title: before.name.toUpperCase(), align: 'left' },
  { title: after.name.toUpperCase(), align: 'left' },
];

/** A row a topic, with its first line. */
function rows(word: string, changes: Change[]): string[][] {
  return [...new Set(changes.map(({ topic }) => topic))].sort().map((topic) => {
    const ofTopic = changes.filter((change) => change.topic === topic);
    const { line, before, after } = ofTopic[0]!;
    return [word, String(ofTopic.length), topic, line, told(before), told(after)];
  });
}

/** "2 tablespoon · olive oil" */
const told = ({ quantity, unit, item }: Reading): string => {
  const amount = quantity === null ? '–' : String(Number(quantity.toFixed(3)));
  return `${amount}${unit === null ? '' : ` ${unit}`} · ${item}`;
};
