import type { ReplyOf } from '@assay/client/operations';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { reading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { CopyLink, Id } from '../../parts/copy.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { visible } from '../../text/format.ts';
import { Guessed } from '../traces/guessed.tsx';
import { AllSpans } from './all-spans.tsx';
import { SpanPane } from './span-pane.tsx';
import { openingPlace, treeOf } from './span-tree.ts';
import styles from './trace.module.css';
import { TraceHead } from './trace-head.tsx';
import { TraceMenu } from './trace-menu.tsx';
import { TraceRecords } from './trace-records.tsx';

const AddToTestset = lazy(async () => ({
  default: (await import('./add-to-testset.tsx')).AddToTestset,
}));
const ScoreTrace = lazy(async () => ({ default: (await import('./score-trace.tsx')).ScoreTrace }));

const route = getRouteApi('/frame/projects/$projectId/traces/$traceId');

/** How often a trace is read again while its spans may still be coming, in ms. */
const openEveryMs = 3000;

/** One trace: its spans as a tree or along the time, and the one that is chosen. */
export function Trace() {
  const { projectId, traceId } = route.useParams();
  const { span: spanId } = route.useSearch();
  const [dialog, setDialog] = useState<'testset' | 'score'>();
  const close = () => setDialog(undefined);
  const trace = useQuery({
    ...reading('/traces/:traceId', { params: { traceId } }),
    refetchInterval: ({ state }) => (state.data?.isSettled === false ? openEveryMs : false),
  });
  const isOpen = trace.data?.isSettled === false;
  const listed = useQuery({
    ...reading('/traces/:traceId/spans', { params: { traceId } }),
    refetchInterval: isOpen ? openEveryMs : false,
  });
  const spans = listed.data?.data;
  const tree = useMemo(() => treeOf(spans ?? []), [spans]);
  const found =
    spanId === undefined
      ? openingPlace(tree)
      : tree.findIndex(({ span }) => span.spanId === spanId);
  const place = found < 0 ? openingPlace(tree) : found;
  const chosen = tree[place];
  if (!trace.data)
    return (
      <Page
        title="Trace"
        above={
          <Link to="/projects/$projectId/traces" params={{ projectId }}>
            Traces
          </Link>
        }
      >
        {trace.error && <Problem error={trace.error} retry={() => void trace.refetch()} />}
      </Page>
    );
  return (
    <Page
      title={visible(trace.data.name) || 'Trace without a name'}
      kind={`Trace ${traceId.slice(0, 8)}`}
      above={
        <>
          <Link to="/projects/$projectId/traces" params={{ projectId }}>
            Traces
          </Link>{' '}
          · <Id id={traceId} />
        </>
      }
      actions={
        <>
          <CopyLink />
          <Button onClick={() => setDialog('score')}>Score</Button>
          <Button kind="main" onClick={() => setDialog('testset')}>
            Add to a testset
          </Button>
          <TraceMenu projectId={projectId} trace={trace.data} />
        </>
      }
    >
      {trace.data.isProjectGuessed && <Guessed projectId={projectId} subject="This trace" />}
      <TraceHead projectId={projectId} trace={trace.data} />
      <TraceRecords projectId={projectId} records={trace.data.records} />
      {listed.error && <Problem error={listed.error} retry={() => void listed.refetch()} />}
      {spans && (
        <div className={styles.trace}>
          <AllSpans
            spans={spans}
            numSpans={listed.data?.numSpans ?? 0}
            tree={tree}
            place={place}
            isMissing={spanId !== undefined && found < 0}
          />
          {chosen && (
            <SpanPane listed={chosen.span} annotations={annotationsOf(trace.data, chosen.span)} />
          )}
        </div>
      )}
      {dialog === 'testset' && (
        <Suspense>
          <AddToTestset projectId={projectId} traceId={traceId} onClose={close} />
        </Suspense>
      )}
      {dialog === 'score' && (
        <Suspense>
          <ScoreTrace
            projectId={projectId}
            traceId={traceId}
            name={trace.data.name}
            onClose={close}
          />
        </Suspense>
      )}
    </Page>
  );
}

/** The annotations of a span, and of the whole trace. */
const annotationsOf = (
  { annotations = [] }: ReplyOf<'GET', '/traces/:traceId'>,
  { spanId }: { spanId: string },
) => annotations.filter((each) => each.spanId === spanId || each.spanId === null);
