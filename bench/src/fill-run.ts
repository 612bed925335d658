import { newId } from '@assay/runtime/ids';
import { type Document, MongoClient } from 'mongodb';
import type { Call } from './client.ts';

const batchItems = 5000;

interface FillOptions {
  uri: string;
  database: string;
  call: Call;
  runId: string;
  count: number;
  body: object;
  /** Prepares the record that is copied, which has this id: gives it scores, for example. */
  prepare?: (recordId: string) => Promise<void>;
  /** Returns the fields in which a copy differs; copies are numbered from 1. */
  vary?: (model: Document, number: number) => object;
}

/**
 * Fills an empty run, past the service: one record is created through the gateway, and the others
 * are copies of the document that the service stored for it, so that their shape is always the
 * service's own. The run must not be scored meanwhile.
 */
export async function fillRun({
  uri,
  database,
  call,
  runId,
  count,
  body,
  prepare,
  vary = () => ({}),
}: FillOptions): Promise<void> {
  const { id } = await call('POST', `/runs/${runId}/records`, body);
  await prepare?.(id);
  const client = await MongoClient.connect(uri);
  try {
    const records = client.db(database).collection<Document & { _id: string }>('records');
    const model = await records.findOne({ _id: id });
    if (!model) throw new Error('The record that was made is not where it is looked for.');
    for (let left = count - 1; left > 0; left -= batchItems) {
      const documents = Array.from({ length: Math.min(left, batchItems) }, (_, index) => ({
        ...model,
        _id: newId(),
        ...vary(model, count - left + index),
      }));
      await records.insertMany(documents, {
        ordered: false,
        writeConcern: { w: 1, journal: false },
      });
    }
    await client
      .db(database)
      .collection('run_counters')
      .updateOne(
        { organizationId: model.organizationId, runId },
        { $mul: { records: count, pending: count, awaited: count, scored: count } },
      );
  } finally {
    await client.close();
  }
}
