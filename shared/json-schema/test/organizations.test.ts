import { inOrganizationContext } from '@assay/runtime/organization-context';
import { afterAll, expect, test } from 'vitest';
import { createSchemaChecker } from '../schema.ts';

const checker = createSchemaChecker({ timeoutMs: 500, workers: 2 });
afterAll(() => checker.close());

/** Twice into every level of the document: 2^depth to run. */
const hostile = (comment: number) =>
  JSON.stringify({
    $comment: String(comment),
    $defs: { n: { allOf: [{ properties: { a: { $ref: '#/$defs/n' } } }, { properties: { a: { $ref: '#/$defs/n' } } }] } },
    $ref: '#/$defs/n',
  });
const deep = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`;

const unlessBusy = (error: { code?: string }) => {
  if (error.code !== 'SERVICE_UNAVAILABLE') throw error;
};

test("an organization whose schemas never end, each another one, keeps no other's testcases waiting", async () => {
  let ended = 0;
  const attack = Array.from({ length: 12 }, (_, comment) =>
    inOrganizationContext({ organizationId: 'greedy' }, () =>
      checker.validate({ schemaText: hostile(comment), schemaHash: `hostile ${comment}`, documents: [deep] }),
    )
      // On a busy machine it may not even get the processor for its time.
      .catch(unlessBusy)
      .then(() => {
        ended += 1;
      }),
  );
  for (let round = 0; round < 3; round += 1) {
    const found = await inOrganizationContext({ organizationId: 'modest' }, () =>
      checker.validate({ schemaText: '{"type":"null"}', schemaHash: 'modest', documents: ['1'] }),
    );
    expect(found[0]).toHaveLength(1);
  }
  expect(ended).toBeLessThan(attack.length / 2);
  await Promise.all(attack);
});
