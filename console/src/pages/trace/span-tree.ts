import type { ReplyOf } from '@assay/client/operations';

export type ListedSpan = ReplyOf<'GET', '/traces/:traceId/spans'>['data'][number];

/** A span where it stands in its trace. */
export interface TreeSpan<Span = ListedSpan> {
  span: Span;
  /** 0 for a span at the root. */
  depth: number;
  /** The place after the last span below it. */
  end: number;
  /** Why it stands at the root although it names a parent. */
  looseBy: 'missing' | 'cycle' | undefined;
  /** Spans below it that ended with an error. */
  errorsBelow: number;
}

type PlacedSpan = Pick<ListedSpan, 'spanId' | 'parentSpanId' | 'status'>;

/**
 * Puts each span below its parent, children in the given order. Every span is in the result once:
 * one whose parent is missing stands at the root, and of a cycle of parents the span that is given first.
 */
export function treeOf<Span extends PlacedSpan>(spans: readonly Span[]): TreeSpan<Span>[] {
  const childrenOf = new Map<string, number[]>();
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const roots: number[] = [];
  spans.forEach(({ parentSpanId }, index) => {
    const isRoot = parentSpanId === null || !ids.has(parentSpanId);
    const children = isRoot ? roots : childrenOf.get(parentSpanId);
    if (children) children.push(index);
    else childrenOf.set(parentSpanId!, [index]);
  });
  const tree: TreeSpan<Span>[] = [];
  const placed = new Set<number>();
  /** Without recursion: a trace may be a chain of thousands of spans. */
  const place = (root: number, isInCycle: boolean) => {
    const waiting = [{ index: root, depth: 0 }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { index, depth } = next;
      if (placed.has(index)) continue;
      placed.add(index);
      const span = spans[index]!;
      const isMissing = depth === 0 && !isInCycle && span.parentSpanId !== null;
      tree.push({
        span,
        depth,
        end: 0,
        looseBy: depth === 0 && isInCycle ? 'cycle' : isMissing ? 'missing' : undefined,
        errorsBelow: 0,
      });
      // The first child is taken next. A repeated span id has its children once.
      const children = childrenOf.get(span.spanId) ?? [];
      for (const child of children.toReversed()) waiting.push({ index: child, depth: depth + 1 });
    }
  };
  for (const root of roots) place(root, false);
  // Spans to which no root leads are in a cycle, or below one.
  for (let index = 0; index < spans.length; index += 1) if (!placed.has(index)) place(index, true);
  closeSubtrees(tree);
  return tree;
}

/** Says of each span where those below it end, and how many of them failed. */
function closeSubtrees(tree: TreeSpan<PlacedSpan>[]): void {
  const open: number[] = [];
  const close = (end: number) => {
    const closed = tree[open.pop()!]!;
    closed.end = end;
    const parent = open.length > 0 ? tree[open.at(-1)!]! : undefined;
    if (parent) parent.errorsBelow += closed.errorsBelow + (hasFailed(closed) ? 1 : 0);
  };
  tree.forEach(({ depth }, index) => {
    while (open.length > depth) close(index);
    open.push(index);
  });
  while (open.length > 0) close(tree.length);
}

type ReadSpan = Pick<ListedSpan, 'inputPreview' | 'outputPreview'>;

/** The place of the span that a trace opens on: the first that has an input or an output. */
export const openingPlace = (tree: readonly { span: ReadSpan }[]): number =>
  Math.max(
    0,
    tree.findIndex(({ span }) => span.inputPreview !== null || span.outputPreview !== null),
  );

export const hasFailed = ({ span }: { span: Pick<ListedSpan, 'status'> }): boolean =>
  span.status === 'error';

/** The places in the tree that are shown: all but those below a folded span. */
export function shownRows(
  tree: readonly TreeSpan<PlacedSpan>[],
  folded: ReadonlySet<string>,
): number[] {
  const rows: number[] = [];
  for (let at = 0; at < tree.length; ) {
    const { span, end } = tree[at]!;
    rows.push(at);
    at = folded.has(span.spanId) ? end : at + 1;
  }
  return rows;
}

/** The spans that stay folded when the span at a place is to be shown. */
export function unfoldedTo(
  tree: readonly TreeSpan<PlacedSpan>[],
  folded: ReadonlySet<string>,
  place: number,
): Set<string> {
  const above = new Set<string>();
  for (let at = 0; at < place; at += 1) if (tree[at]!.end > place) above.add(tree[at]!.span.spanId);
  return new Set([...folded].filter((id) => !above.has(id)));
}

/** The place of the next span with an error after a place, around the end; -1 where there is none. */
export function nextFailed(tree: readonly TreeSpan<PlacedSpan>[], place: number): number {
  for (let step = 1; step <= tree.length; step += 1) {
    const at = (place + step) % tree.length;
    if (hasFailed(tree[at]!)) return at;
  }
  return -1;
}
