import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useList } from '../../api/list.ts';
import { Button } from '../../parts/button.tsx';
import { CopyLink, Id } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf, visible } from '../../text/format.ts';
import styles from './session.module.css';
import { Turn } from './turn.tsx';

/** Turns that are shown at first, and more of them each time a person asks. */
const turnsAtOnce = 50;

const route = getRouteApi('/frame/projects/$projectId/sessions/$sessionId');

/** The traces of a session as the turns of one conversation, the oldest first. */
export function Session() {
  const { projectId, sessionId } = route.useParams();
  const list = useList('/sessions/:sessionId/traces', { params: { sessionId } });
  const [shown, setShown] = useState(turnsAtOnce);
  const { show } = list;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `show` changes with each rendering.
  useEffect(() => show(0, shown), [shown, list.rows]);
  const turns = Array.from({ length: Math.min(shown, list.rows) }, (_, row) => ({
    row,
    trace: list.itemAt(row),
  }));
  return (
    <Page
      title={`Session ${visible(sessionId)}`}
      above={
        <>
          <Link to="/projects/$projectId/traces" params={{ projectId }} search={{ sessionId }}>
            Traces of the session
          </Link>{' '}
          · <Id id={sessionId} />
        </>
      }
      actions={<CopyLink />}
    >
      {list.error && <Problem error={list.error} retry={list.retry} />}
      {!list.isLoading && !list.error && list.rows === 0 && (
        <Empty title="No traces in this session">
          A session is a conversation of several requests. Their traces name it, such as by the
          attribute session.id.
        </Empty>
      )}
      <ol className={styles.turns} aria-busy={list.isLoading}>
        {turns.map(({ row, trace }) =>
          trace === undefined ? (
            <li key={row}>Reading …</li>
          ) : (
            <li key={trace.traceId}>
              <Turn trace={trace} number={row + 1} />
            </li>
          ),
        )}
      </ol>
      {(shown < list.rows || !list.isComplete) && list.rows > 0 && (
        <Button onClick={() => setShown(shown + turnsAtOnce)}>
          Show more of {list.isComplete ? countOf(list.rows, 'turn') : 'the turns'}
        </Button>
      )}
    </Page>
  );
}
