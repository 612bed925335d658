import type { Collection, Filter } from 'mongodb';
import type { RecordDocument } from './record.ts';

/** How many records that carry a tag are looked at to tell how rare it is. */
const sampleRecords = 100;
/** Sorts behind all ids. */
const beyond = '~';

/**
 * Finds a run's records by their tags, in the order of their ids: each filter is a set of
 * alternatives, each alternative the tags that must all be there. The database asks its index for
 * the first tag alone, and looks for the others in all that it finds; so the rarest goes first.
 */
export async function tagFilter(
  records: Collection<RecordDocument>,
  {
    organizationId,
    runId,
    tags,
    after,
  }: { organizationId: string; runId: string; tags: string[][][]; after: string | undefined },
): Promise<Filter<RecordDocument>> {
  const tagged: Filter<RecordDocument> = { organizationId, runId, tags: { $exists: true } };
  const texts = [...new Set(tags.flat(2))];

  /** Up to where there are so many records from here on: the farther, the rarer the tag is. */
  async function reachOf(text: string): Promise<string> {
    const found = await records
      .find({ ...tagged, 'tags.text': text, _id: { $gt: after ?? '' } }, { projection: { _id: 1 } })
      .hint(tagIndex)
      .sort({ _id: 1 })
      .skip(sampleRecords - 1)
      .limit(1)
      .toArray();
    return found[0]?._id ?? beyond;
  }

  const sampled = texts.length > 1 ? texts : [];
  const reaches = new Map(
    await Promise.all(sampled.map(async (text) => [text, await reachOf(text)] as const)),
  );
  const reach = (text: string): string => reaches.get(text) ?? '';
  const rarestFirst = (texts: string[]): string[] =>
    [...texts].sort((a, b) => descending(reach(a), reach(b)));
  const nearest = (alternatives: string[][]): string =>
    alternatives.map(([rarest]) => reach(rarest!)).sort()[0]!;

  const filters = tags
    .map((alternatives) => alternatives.map(rarestFirst))
    .sort((a, b) => descending(nearest(a), nearest(b)))
    .map((alternatives) => ({
      $or: alternatives.map((texts) => ({ 'tags.text': { $all: texts } })),
    }));
  return { ...tagged, $and: filters };
}

/**
 * The index for tag queries. Given as a hint, so that the database chooses anew for each query
 * where to begin in the index: it does not use the cached plan of another query.
 */
export const tagIndex = { organizationId: 1, runId: 1, 'tags.text': 1, _id: 1 } as const;

const descending = (a: string, b: string): number => (a < b ? 1 : a > b ? -1 : 0);
