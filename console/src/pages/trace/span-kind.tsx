import type { ListedSpan } from './span-tree.ts';
import styles from './trace.module.css';

const names: Record<NonNullable<ListedSpan['operation']>, string> = {
  chat: 'model',
  tool: 'tool',
  agent: 'agent',
  retrieval: 'retrieval',
  embedding: 'embedding',
  evaluation: 'evaluation',
  workflow: 'workflow',
};

/** The work of a span in a word and a colour; for one that does not say, how it was called. */
export const SpanKind = ({
  span: { operation, kind },
}: {
  span: Pick<ListedSpan, 'operation' | 'kind'>;
}) => (
  <span className={styles.kind} data-operation={operation}>
    {operation ? names[operation] : kind === 'unspecified' ? 'span' : kind}
  </span>
);
