import { getRouteApi } from '@tanstack/react-router';
import { Id } from '../../parts/copy.tsx';
import { BytesPayload, type PayloadView } from '../../parts/payload/payload.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { formatCount, formatDollars, formatDuration, visible } from '../../text/format.ts';
import { Attributes } from './attributes.tsx';
import { Conversation } from './conversation.tsx';
import { Events } from './events.tsx';
import { SpanAnnotations, type TraceAnnotation } from './span-annotations.tsx';
import { SpanKind } from './span-kind.tsx';
import type { ListedSpan } from './span-tree.ts';
import styles from './trace.module.css';
import { type ShownConversation, useConversation } from './use-conversation.ts';
import { type LoadedSpan, useSpan } from './use-span.ts';

const route = getRouteApi('/frame/projects/$projectId/traces/$traceId');

const tabs = {
  conversation: 'Conversation',
  payloads: 'Input and output',
  attributes: 'Attributes',
  events: 'Events',
  raw: 'Raw',
} as const;
type Tab = keyof typeof tabs;

/** One span: its numbers, its input and output, and all that was sent with it. */
export function SpanPane({
  listed,
  annotations,
}: {
  listed: ListedSpan;
  annotations: TraceAnnotation[];
}) {
  const { traceId } = route.useParams();
  const { tab } = route.useSearch();
  const { data, error, refetch } = useSpan({ traceId, spanId: listed.spanId });
  const { isRead, conversation } = useConversation({ traceId, listed, span: data?.span });
  const hasMessages = conversation !== undefined;
  const isChosen = tab !== undefined && (tab !== 'conversation' || hasMessages);
  const shown: Tab = isChosen ? tab : hasMessages ? 'conversation' : 'payloads';
  const count = data?.span.events.length ?? 0;
  return (
    <section className={styles.pane} aria-label="Span">
      <header className={styles.paneHead}>
        <h2>{visible(listed.name) || 'without a name'}</h2>
        <SpanFacts span={listed} />
        {listed.status === 'error' && (
          <p className={styles.failure}>
            <strong>! Error</strong> {visible(listed.statusMessage)}
          </p>
        )}
        <SpanAnnotations
          key={listed.spanId}
          traceId={traceId}
          spanId={listed.spanId}
          annotations={annotations}
        />
      </header>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!isRead && !error && <p role="status">Reading …</p>}
      {data && isRead && (
        <>
          <Tabs
            label="Parts of the span"
            tabs={(Object.keys(tabs) as Tab[])
              .filter((one) => one !== 'conversation' || hasMessages)
              .map((one) => ({
                text: one === 'events' && count > 0 ? `Events (${formatCount(count)})` : tabs[one],
                search: { tab: one },
                isCurrent: one === shown,
              }))}
          />
          <SpanPart key={listed.spanId} loaded={data} conversation={conversation} tab={shown} />
        </>
      )}
    </section>
  );
}

function SpanPart({
  loaded,
  conversation,
  tab,
}: {
  loaded: LoadedSpan;
  conversation: ShownConversation | undefined;
  tab: Tab;
}) {
  const { view = 'reading' } = route.useSearch();
  const navigate = route.useNavigate();
  const setView = (chosen: PayloadView) =>
    void navigate({
      search: (before) => ({
        ...before,
        view: chosen === 'json' || chosen === 'raw' ? chosen : undefined,
      }),
      replace: true,
    });
  const { span, bytes } = loaded;
  switch (tab) {
    case 'conversation':
      return conversation && <Conversation {...conversation} />;
    case 'payloads':
      return (
        <div className={styles.sections}>
          {(['input', 'output'] as const).map((field) => {
            const part = loaded[field];
            const title = field === 'input' ? 'Input' : 'Output';
            return part ? (
              <BytesPayload
                key={field}
                title={title}
                bytes={part}
                file={`${span.spanId}-${field}.json`}
                view={view}
                setView={setView}
              />
            ) : (
              <p key={field} className={styles.none}>
                {title}: the span does not say.
              </p>
            );
          })}
        </div>
      );
    case 'attributes':
      return <Attributes span={span} />;
    case 'events':
      return <Events span={span} />;
    case 'raw':
      return (
        <BytesPayload
          title="The whole span"
          bytes={bytes}
          file={`${span.spanId}.json`}
          views={['raw', 'json']}
          view={view}
          setView={setView}
        />
      );
  }
}

function SpanFacts({ span }: { span: ListedSpan }) {
  const { spanId, model, tokens, costUsd, durationMs } = span;
  const counts = [
    { text: 'input', count: tokens.input },
    { text: 'output', count: tokens.output },
    { text: 'read from a cache', count: tokens.cacheRead },
    { text: 'written to a cache', count: tokens.cacheCreation },
    { text: 'of reasoning', count: tokens.reasoning },
  ].filter(({ count }) => count !== null);
  return (
    <p className={styles.facts}>
      <SpanKind span={span} />
      <span>{formatDuration(durationMs)}</span>
      {model && <span>{visible(model)}</span>}
      {counts.length > 0 && (
        <span>
          tokens: {counts.map(({ text, count }) => `${formatCount(count!)} ${text}`).join(', ')}
        </span>
      )}
      {costUsd !== null && <span>{formatDollars(costUsd)}</span>}
      <Id id={spanId} />
    </p>
  );
}
