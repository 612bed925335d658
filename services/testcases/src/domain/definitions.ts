import type { catalog as catalogContract, TestsetDefinition } from '@assay/contracts/catalog';
import type { Asks, Identity } from '@assay/contracts/define';
import { createSingleFlight } from '@assay/runtime/concurrency/single-flight';
import { LRUCache } from 'lru-cache';

/** A testset's schema and mapping, with the keys of each role at hand. */
export interface Definition extends TestsetDefinition {
  inputs: ReadonlySet<string>;
  expected: ReadonlySet<string>;
}

export type Definitions = ReturnType<typeof createDefinitions>;

/** Schema text of all definitions that a process keeps. */
const keptBytesMax = 32 * 1024 * 1024;
/** The memory that a definition takes besides its schema, in bytes. */
const definitionBytes = 4096;

/**
 * Asks catalog for the current definition of a testset, one question for all calls that come
 * together. The last answer is kept, so that catalog need only say "unchanged"; the least recently
 * used go when there are too many. Undefined when the organization has no such testset.
 */
export function createDefinitions(catalog: Asks<typeof catalogContract>) {
  const singleFlight = createSingleFlight<Definition | undefined>();
  const kept = new LRUCache<string, Definition>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ schemaText }) => schemaText.length + definitionBytes,
  });

  async function ask(identity: Identity, testsetId: string): Promise<Definition | undefined> {
    const known = kept.get(testsetId);
    const answer = await catalog.testset(identity, { testsetId, knownVersion: known?.version });
    if (answer.outcome === 'missing') return undefined;
    const definition = answer.outcome === 'found' ? withRoles(answer.testset) : known!;
    kept.set(testsetId, definition);
    return definition;
  }

  return {
    find: (identity: Identity, testsetId: string): Promise<Definition | undefined> =>
      singleFlight(`${identity.organizationId} ${testsetId}`, () => ask(identity, testsetId)),
  };
}

const withRoles = (testset: TestsetDefinition): Definition => ({
  ...testset,
  inputs: new Set(testset.fieldMapping.inputs),
  expected: new Set(testset.fieldMapping.expected),
});
