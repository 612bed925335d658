import { inOrganizationContext } from '@assay/runtime/concurrency/organization-context';
import { poll } from '@assay/testing/poll';
import { afterAll, expect, test } from 'vitest';
import { createSchemaChecker } from '../schema.ts';

const checker = createSchemaChecker({ timeoutMs: 500, workers: 2 });
afterAll(() => checker.close());

/** Twice into every level of the document: 2^depth to run. */
const hostile = (comment: number) =>
  JSON.stringify({
    $comment: String(comment),
    $defs: {
      n: {
        allOf: [
          { properties: { a: { $ref: '#/$defs/n' } } },
          { properties: { a: { $ref: '#/$defs/n' } } },
        ],
      },
    },
    $ref: '#/$defs/n',
  });
const deep = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`;

function unlessBusy(error: { code?: string }): undefined {
  if (error.code !== 'SERVICE_UNAVAILABLE') throw error;
}

test("an organization whose schemas never end, each another one, keeps no other's testcases waiting", async () => {
  let ended = 0;
  const attack = Array.from({ length: 12 }, (_, comment) =>
    inOrganizationContext({ organizationId: 'greedy' }, () =>
      checker.validate({
        schemaText: hostile(comment),
        schemaHash: `hostile ${comment}`,
        documents: [deep],
      }),
    )
      // On a busy machine it may not even get the processor for its time.
      .catch(unlessBusy)
      .then(() => {
        ended += 1;
      }),
  );
  const validate = () =>
    inOrganizationContext({ organizationId: 'modest' }, () =>
      checker.validate({ schemaText: '{"type":"null"}', schemaHash: 'modest', documents: ['1'] }),
    ).catch(unlessBusy);
  for (let round = 0; round < 3; round++)
    expect((await poll('there is a processor for it', validate))[0]).toHaveLength(1);
  expect(ended).toBeLessThan(attack.length / 2);
  await Promise.all(attack);
});

test('an organization that had a slow schema keeps a worker for the schemas that it uses, whatever new ones it sends', async () => {
  const validate = (schemaText: string, schemaHash: string, document: string) =>
    inOrganizationContext({ organizationId: 'both' }, () =>
      checker.validate({ schemaText, schemaHash, documents: [document] }),
    ).catch(unlessBusy);
  await validate('{"type":"null"}', 'used', 'null');
  await validate(hostile(100), 'hostile 100', deep);
  const first = async (from: number) => {
    const order: string[] = [];
    const attack = [from, from + 1, from + 2].map((comment) =>
      validate(hostile(comment), `hostile ${comment}`, deep).then(
        (found) => found && order.push('hostile'),
      ),
    );
    await validate('{"type":"null"}', 'used', 'null').then((found) => found && order.push('used'));
    await Promise.all(attack);
    return order[0];
  };
  // On a busy machine neither may get the processor in its time: then nothing is said of their
  // order.
  let tries = 0;
  const tryOnce = () => {
    tries += 1;
    return first(100 + 3 * tries);
  };
  expect(await poll('one of them is answered', tryOnce)).toBe('used');
});
