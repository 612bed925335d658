import { describe, expect, test } from 'vitest';
import { contentsOf } from '../contents.ts';
import { spanOf } from './spans.ts';

const exception = {
  name: 'exception',
  attributes: {
    'exception.type': 'ConnectionError',
    'exception.message': 'model down',
    'exception.stacktrace': 'at ask',
  },
};
const call = (id: number, more: object = {}, attributes: object = {}) =>
  spanOf({
    id,
    parent: 1,
    name: 'chat',
    start: id,
    ...more,
    attributes: { 'gen_ai.operation.name': 'chat', 'input.value': 'Plan it.', ...attributes },
  });

describe('the error of a place of a trace', () => {
  test('is the last exception of a span that ended with an error and has no output', () => {
    const events = [{ ...exception, attributes: { 'exception.message': 'first' } }, exception];
    const root = spanOf({ code: 2, attributes: { 'input.value': 'Where?' }, events });
    const error = { name: 'ConnectionError', message: 'model down', stack: 'at ask', status: null };
    for (const place of ['trace', 'span:span'] as const)
      expect(contentsOf([root], place)).toMatchObject({ input: 'Where?', output: null, error });
  });

  test('is what the status says where no exception is told, with the HTTP status of the call', () => {
    const root = spanOf({ name: 'answer' });
    const failed = call(2, { code: 2 }, { 'error.type': '429' });
    expect(contentsOf([root, failed], 'last-llm')?.error).toEqual({
      name: '429',
      message: 'The span chat ended with an error.',
      stack: null,
      status: 429,
    });
  });

  test('leaves what a call said on the way out of the answer of a trace', () => {
    const planned = call(2, {}, { 'output.value': 'Look it up.' });
    const failed = spanOf({ code: 2, events: [exception] });
    expect(contentsOf([failed, planned], 'trace')).toMatchObject({
      input: 'Plan it.',
      output: null,
      error: { message: 'model down' },
    });
    expect(contentsOf([spanOf({}), planned], 'trace')).toMatchObject({
      output: 'Look it up.',
      error: null,
    });
  });

  test('is that of the first span whose parent was sent elsewhere', () => {
    const called = { parent: 9, code: 2, attributes: { 'input.value': 'Where?' } };
    const failed = spanOf({ ...called, events: [exception] });
    const planned = call(2, {}, { 'output.value': 'Look it up.' });
    expect(contentsOf([failed, planned], 'trace')).toMatchObject({
      input: 'Where?',
      output: null,
      error: { message: 'model down' },
    });
    const earlier = spanOf({ id: 3, parent: 8, end: 0 });
    expect(contentsOf([failed, earlier], 'trace')?.error).toBeNull();
  });

  test('is none where there is an output, or where only a span below ended with one', () => {
    const answered = spanOf({ code: 2, attributes: { 'output.value': 'Sorry.' } });
    expect(contentsOf([answered], 'trace')).toMatchObject({ output: 'Sorry.', error: null });
    const below = call(2, { code: 2, events: [exception] });
    expect(contentsOf([spanOf({}), below], 'trace')?.error).toBeNull();
  });
});
