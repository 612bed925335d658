import { expect, test } from 'vitest';
import { z } from 'zod';
import { issuesOf } from '../../http/issues.ts';

const body = z.object({
  value: z.union([z.boolean(), z.number()]).optional(),
  by: z.union([z.literal('people'), z.object({ metricId: z.string() })]).optional(),
});

function problems(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { reportInput: true });
  return issuesOf(error!).map(({ path, message }) => `${path} ${message}`);
}

test('a value of no kind that is allowed is told them all, and its own', () => {
  expect(problems(body, { value: 'yes' })).toEqual([
    '/value must be a boolean or a number, but it is a string',
  ]);
  expect(problems(body, { by: 'x' })).toEqual([
    '/by must be "people" or an object, but it is a string',
  ]);
  expect(problems(body, { by: [] })).toEqual([
    '/by must be "people" or an object, but it is an array',
  ]);
});

test('a value of one kind that is allowed is told what is wrong within it', () => {
  expect(problems(body, { by: {} })).toEqual(['/by/metricId is required']);
  expect(problems(body, { by: { metricId: 1 } })).toEqual([
    '/by/metricId must be a string, but it is a number',
  ]);
});

test('a value that may be of several kinds and is missing is required', () => {
  expect(problems(body.required(), {})).toEqual(['/value is required', '/by is required']);
});

test('a wrong discriminator is told those that there are', () => {
  const shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('ai') }),
    z.object({ kind: z.literal('human') }),
  ]);
  const told = ['/kind must be one of "ai", "human"'];
  expect(problems(shape, { kind: 'dog' })).toEqual(told);
  expect(problems(shape, {})).toEqual(told);
});

test('a sentence that the contract has for the whole value is told as it is', () => {
  const error = 'must be a key and a value';
  const label = z.union([z.string().regex(/:/), z.array(z.string())], { error });
  expect(problems(z.object({ label }), { label: 5 })).toEqual([`/label ${error}`]);
});

test('a member whose name cannot be is told what is wrong with the name', () => {
  const pairs = z.record(z.string().max(3), z.string());
  expect(problems(pairs, { long: 'a' })).toEqual(['/long its name must have at most 3 characters']);
});
