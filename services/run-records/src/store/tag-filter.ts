import type { Condition } from './condition.ts';
import type { Reaches } from './reach.ts';

/**
 * Finds a run's records by their tags, in the order of their ids: each filter is a set of
 * alternatives, each alternative the tags that must all be there. The database asks its index for
 * the first tag alone, and looks for the others in all that it finds; so the rarest goes first.
 */
export async function tagCondition(
  tags: string[][][],
  { reachOf, farthestFirst }: Reaches,
): Promise<Condition> {
  const texts = [...new Set(tags.flat(2))];
  const sampled = texts.length > 1 ? texts : [];
  const reaches = new Map(
    await Promise.all(
      sampled.map(
        async (text) => [text, await reachOf({ ...tagged, 'tags.text': text }, tagIndex)] as const,
      ),
    ),
  );
  const reach = (text: string): string => reaches.get(text) ?? '';
  const rarestFirst = (texts: string[]): string[] =>
    [...texts].sort((one, other) => farthestFirst(reach(one), reach(other)));
  const nearest = (alternatives: string[][]): string =>
    alternatives
      .map(([rarest]) => reach(rarest!))
      .sort(farthestFirst)
      .at(-1)!;

  const filters = tags
    .map((alternatives) => alternatives.map(rarestFirst))
    .sort((one, other) => farthestFirst(nearest(one), nearest(other)));
  return {
    filter: {
      ...tagged,
      $and: filters.map((alternatives) => ({
        $or: alternatives.map((texts) => ({ 'tags.text': { $all: texts } })),
      })),
    },
    lead: {
      filter: { ...tagged, 'tags.text': { $in: filters[0]!.map(([rarest]) => rarest!) } },
      index: tagIndex,
      isWhole: texts.length === 1,
    },
  };
}

const tagged = { tags: { $exists: true } };

/**
 * The index for tag queries. Given as a hint, so that the database chooses anew for each query
 * where to begin in the index: it does not use the cached plan of another query.
 */
const tagIndex = { organizationId: 1, runId: 1, 'tags.text': 1, _id: 1 } as const;
