import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Collection, Document, IndexDescriptionInfo } from 'mongodb';
import { say } from './report.ts';
import type { Setting } from './setting.ts';
import { batches, spansEach } from './spans.ts';
import { type Head, sendExport, withTraces } from './stored-traces.ts';

/** A project whose traces differ in all by which they are found. */
export interface FoundTraces {
  projectId: string;
  /** The position of the middle of its list, and when that trace started. */
  middle: { after: string; startedAt: number };
}

const batchItems = 5000;
const spreadMs = 28 * 24 * 60 * 60 * 1000;

/**
 * Fills a new project past the service: one trace is sent through the gateway, and the heads of the
 * others are copies of its own, so that their shape is always the service's.
 */
export async function createFoundTraces(setting: Setting, count: number): Promise<FoundTraces> {
  const installation = await setting.installation();
  const project = { name: 'Found traces', description: '' };
  const { id: projectId } = await installation.call('POST', '/projects', project);
  const [body] = batches(projectId, { bodies: 1, spans: spansEach });
  const traceId = await sendExport(installation, body!, 1);
  say(`  ${count.toLocaleString('en-US')} traces …`);
  return withTraces(setting, async ({ heads }) => {
    let model = await heads.findOne({ traceId, isSettled: true });
    while (!model) {
      await pause(100);
      model = await heads.findOne({ traceId, isSettled: true });
    }
    const copied = model;
    await withoutIndexes(heads, () => fill(heads, copied, count));
    const [middle] = await heads
      .find({ organizationId: model.organizationId, projectId })
      .sort({ startedAt: -1, traceId: -1 })
      .skip(Math.floor(count / 2))
      .limit(1)
      .toArray();
    const { startedAt } = middle!;
    return { projectId, middle: { after: `${startedAt}/${middle!.traceId}`, startedAt } };
  });
}

async function fill(heads: Collection<Head>, model: Head, count: number): Promise<void> {
  let made = 1;
  const writer = async () => {
    while (made < count) {
      const first = made;
      made = Math.min(count, made + batchItems);
      const documents = Array.from({ length: made - first }, (_, index) =>
        copyOf(model, first + index, count),
      );
      await heads.insertMany(documents, {
        ordered: false,
        writeConcern: { w: 1, journal: false },
      });
    }
  };
  await Promise.all([writer(), writer()]);
}

/** A head of its own; `number` counts from the newest. */
function copyOf(model: Head, number: number, count: number): Head & Document {
  const traceId = randomBytes(16).toString('hex');
  const startedAt = model.startedAt - Math.floor((number * spreadMs) / count);
  const durationMs = (number * 7919) % 10_000;
  const isRare = number % 100 === 0;
  return {
    ...model,
    _id: `${model.organizationId}/${traceId}`,
    traceId,
    startedAt,
    endedAt: startedAt + durationMs,
    durationMs,
    costUsd: ((number * 7907) % 1000) / 100_000,
    name: number % 1000 === 0 ? 'rare' : `route ${number % 20}`,
    serviceName: `service ${number % 5}`,
    models: [`model ${number % 10}`],
    sessionId: `session ${Math.floor(number / 10)}`,
    userId: `user ${number % Math.ceil(count / 100)}`,
    tags: number % 10 === 0 ? ['tenth'] : [],
    linkIds: isRare ? [`link ${number}`] : [],
    numErrors: isRare ? 1 : 0,
  };
}

/** Those that the service uses while nobody asks for anything. */
const needed = ['_id', 'changedAt', 'expiresAt', 'mapping', 'askAt'];
const isNeeded = ({ key }: IndexDescriptionInfo): boolean => needed.some((field) => field in key);

/** Does something while the indexes of lists are gone, which is faster than to have them grow. */
async function withoutIndexes(
  heads: Collection<Head>,
  work: () => Promise<unknown>,
): Promise<void> {
  const ofLists = (await heads.indexes()).filter((index) => !isNeeded(index));
  for (const { name } of ofLists) await heads.dropIndex(name!);
  await work();
  await heads.createIndexes(
    ofLists.map(({ key, name, sparse, partialFilterExpression }) => ({
      key,
      name: name!,
      ...(sparse ? { sparse } : {}),
      ...(partialFilterExpression ? { partialFilterExpression } : {}),
    })),
  );
}
