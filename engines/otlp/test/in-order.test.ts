import { describe, expect, test } from 'vitest';
import type { SpanInTrace } from '../cut-by-trace.ts';
import { inOrder } from '../in-order.ts';

const spanOf = (
  id: number,
  parts: { parent?: number; start: number; end: number },
): SpanInTrace => ({
  span: {
    traceId: new Uint8Array(16).fill(1),
    spanId: new Uint8Array(8).fill(id),
    parentSpanId: parts.parent ? new Uint8Array(8).fill(parts.parent) : new Uint8Array(),
    name: String(id),
    kind: 1,
    start: BigInt(parts.start),
    end: BigInt(parts.end),
    attributes: new Map(),
    events: [],
    links: [],
    status: { code: 0, message: '' },
  },
  bytes: new Uint8Array(),
  resource: { attributes: new Map() },
  scope: { name: '', version: '', attributes: new Map() },
});

const namesOf = (spans: SpanInTrace[]): string[] => inOrder(spans).map(({ span }) => span.name);

describe('spans that begin together', () => {
  // In a millisecond: the root, a call of a model, the tool that it asked for, and the call that used the result.
  const root = spanOf(9, { start: 0, end: 9 });
  const asking = spanOf(8, { parent: 9, start: 0, end: 1 });
  const tool = spanOf(7, { parent: 9, start: 0, end: 2 });
  const answering = spanOf(1, { parent: 9, start: 0, end: 8 });

  test('stand with parents first, and what ended before what may have used it', () => {
    expect(namesOf([answering, tool, asking, root])).toEqual(['9', '8', '7', '1']);
    expect(namesOf([root, asking, answering, tool])).toEqual(['9', '8', '7', '1']);
  });

  test('stand behind what began before, whatever ended', () => {
    const earlier = spanOf(5, { parent: 9, start: -1, end: 20 });
    expect(namesOf([root, earlier])).toEqual(['5', '9']);
  });

  test('that are each other’s parents each stand once', () => {
    const ring = [
      spanOf(1, { parent: 2, start: 0, end: 1 }),
      spanOf(2, { parent: 1, start: 0, end: 1 }),
    ];
    expect(namesOf(ring).toSorted()).toEqual(['1', '2']);
  });
});
