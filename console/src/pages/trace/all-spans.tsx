import { getRouteApi } from '@tanstack/react-router';
import { Tabs } from '../../parts/tabs.tsx';
import { countOf, formatCount } from '../../text/format.ts';
import type { ListedSpan, TreeSpan } from './span-tree.ts';
import { Spans } from './spans.tsx';
import styles from './trace.module.css';

const route = getRouteApi('/frame/projects/$projectId/traces/$traceId');

/** The spans of a trace, as a tree or along the time. */
export function AllSpans({
  spans,
  numSpans,
  tree,
  place,
  isMissing,
}: {
  spans: ListedSpan[];
  /** Of the whole trace: more than are read, maybe. */
  numSpans: number;
  tree: TreeSpan[];
  /** The chosen one in the tree. */
  place: number;
  /** Whether the span that the address names is not among them. */
  isMissing: boolean;
}) {
  const { layout } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <section className={styles.left} aria-label="All spans">
      <Tabs
        label="Layout of the spans"
        tabs={[
          { text: 'Tree', search: { layout: undefined }, isCurrent: layout === undefined },
          {
            text: 'Timeline',
            search: { layout: 'timeline' },
            isCurrent: layout === 'timeline',
          },
        ]}
      />
      {isMissing && (
        <p role="status" className={styles.soft}>
          The span of the link is not among these: another one is shown.
        </p>
      )}
      {numSpans > spans.length && (
        <p className={styles.soft}>
          The first {formatCount(spans.length)} of {countOf(numSpans, 'span')}, by their start.
        </p>
      )}
      <Spans
        tree={tree}
        spans={spans}
        isTimeline={layout === 'timeline'}
        chosen={place}
        choose={(span) =>
          void navigate({
            search: (before) => ({ ...before, span: span.spanId }),
            replace: true,
            resetScroll: false,
          })
        }
      />
    </section>
  );
}
