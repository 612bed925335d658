import { operation, service } from '@assay/contracts/define';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createIdempotencyWithoutDatabase } from '../../http/idempotency.ts';

const shopWith = (commits: { commitsIdempotencyKey?: true }) =>
  service({
    name: 'shop',
    summary: 'Sells',
    operations: {
      getSale: operation({
        method: 'GET',
        path: '/sales/:saleId',
        summary: 'Get a sale',
        reply: z.object({}),
        status: 200,
      }),
      createSale: operation({
        method: 'POST',
        path: '/sales',
        summary: 'Create a sale',
        reply: z.object({}),
        status: 201,
        ...commits,
      }),
    },
  });

test('a service without a database does not start with a POST that commits no Idempotency-Key', () => {
  expect(() => createIdempotencyWithoutDatabase(shopWith({}))).toThrow(
    'shop.createSale must commit its Idempotency-Key itself',
  );
  expect(createIdempotencyWithoutDatabase(shopWith({ commitsIdempotencyKey: true }))).toBeTypeOf(
    'function',
  );
});
