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
  const used = async (schemaHash: string) =>
    (await validate('{"type":"null"}', schemaHash, 'null'))?.[0]?.length === 0;

  /**
   * Returns in which order a schema that was quick and three slow ones are answered, or undefined
   * where a busy machine did not get one of them done in its time.
   */
  const order = async (attempt: number) => {
    const schemaHash = `used ${attempt}`;
    if (!(await used(schemaHash))) return undefined;
    await validate(hostile(100), 'hostile 100', deep);
    const answered: string[] = [];
    const attack = [1, 2, 3].map((position) =>
      validate(hostile(position), `hostile ${attempt} ${position}`, deep).then(
        (problems) => problems && answered.push('hostile'),
      ),
    );
    const wasQuick = await used(schemaHash);
    answered.push('used');
    await Promise.all(attack);
    return wasQuick && answered.length === attack.length + 1 ? answered : undefined;
  };
  let attempts = 0;
  const answered = await poll('all of them are answered', () => {
    attempts += 1;
    return order(attempts);
  });
  // Behind the slow ones it would be the last. Not always the first: a worker may have to start for it.
  expect(answered.at(-1)).toBe('hostile');
});
