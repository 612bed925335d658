import { type Collection, MongoClient } from 'mongodb';
import type { NumberedBody } from './load.ts';
import { bodyOfTurn } from './numbered-bodies.ts';
import { exportTo } from './requests.ts';
import type { Setting } from './setting.ts';

export interface Head {
  _id: string;
  organizationId: string;
  projectId: string;
  traceId: string;
  startedAt: number;
  endedAt: number;
  numSpans: number;
  isSettled: boolean;
}

/** Does something with the collections of the service traces. */
export async function withTraces<Value>(
  setting: Setting,
  work: (collections: {
    heads: Collection<Head>;
    parts: Collection<{ organizationId: string; traceId: string; numSpans: number }>;
  }) => Promise<Value>,
): Promise<Value> {
  const { databaseOf } = await setting.installation();
  const client = await MongoClient.connect((await setting.servers()).mongodbUri);
  try {
    const database = client.db(databaseOf('traces'));
    return await work({
      heads: database.collection('traces'),
      parts: database.collection('trace_parts'),
    });
  } finally {
    await client.close();
  }
}

/** Sends one export, which has to be taken whole; returns the id of the first trace in it. */
export async function sendExport(
  installation: { url: string; key: string },
  body: NumberedBody,
  turn: number,
): Promise<string> {
  const { url, path, method, headers } = exportTo(installation);
  const bytes = bodyOfTurn(body, turn);
  const response = await fetch(`${url}${path}`, { method, headers, body: new Uint8Array(bytes) });
  const reply = await response.text();
  if (!response.ok || reply !== '')
    throw new Error(`${method} ${path}: ${response.status} ${reply}`);
  // The mark is behind four bytes of the trace id.
  const start = body.numberAt[0]! - 4;
  return bytes.toString('hex', start, start + 16);
}
