import type { ListedSpan } from '../trace/span-tree.ts';

/** Characters of a preview: a longer text is cut there. */
export const previewMax = 200;

/** The span that a trace's preview was read of; undefined where none has the same. */
export const sourceOf = <Span extends Pick<ListedSpan, 'inputPreview' | 'outputPreview'>>(
  spans: readonly Span[],
  field: 'input' | 'output',
  preview: string | null,
): Span | undefined =>
  preview === null
    ? undefined
    : // The output of a trace is that of its root, or of its last call of a model.
      field === 'input'
      ? spans.find((span) => span.inputPreview === preview)
      : spans.findLast((span) => span.outputPreview === preview);
