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

test('an organization that had a slow schema keeps a worker for the schemas that it uses, whatever new ones it sends', async () => {
  const validate = (schemaText: string, schemaHash: string, document: string) =>
    inOrganizationContext({ organizationId: 'both' }, () => checker.validate({ schemaText, schemaHash, documents: [document] })).catch(
      unlessBusy,
    );
  await validate('{"type":"null"}', 'used', 'null');
  await validate(hostile(100), 'hostile 100', deep);
  const order: string[] = [];
  const attack = [101, 102, 103].map((comment) => validate(hostile(comment), `hostile ${comment}`, deep).then(() => order.push('hostile')));
  await validate('{"type":"null"}', 'used', 'null').then(() => order.push('used'));
  await Promise.all(attack);
  expect(order[0]).toBe('used');
});
