import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useMe } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { usePageTitle } from '../../parts/frame/page-title.ts';
import { Problem } from '../../parts/problem.tsx';
import { Tags } from '../record/record-people.tsx';
import { End } from './end.tsx';
import { Foot } from './foot.tsx';
import { Given } from './given.tsx';
import { Notices } from './notices.tsx';
import { Progress } from './progress.tsx';
import { shownIn } from './queue.ts';
import styles from './reviewing.module.css';
import { SavedScores } from './saved-scores.tsx';
import { ScoresForm } from './scores-form.tsx';
import { useAutoAdvance } from './use-auto-advance.ts';
import { useReview } from './use-review.ts';
import { useReviewKeys } from './use-review-keys.ts';

const route = getRouteApi('/full-screen/projects/$projectId/review/go');

/** One record after the other, to be scored by the keyboard alone. */
export function Reviewing() {
  const { projectId } = route.useParams();
  const { run, metric, only } = route.useSearch();
  const me = useMe();
  usePageTitle('Reviewing');
  return (
    <main id="main" className={styles.screen}>
      {me.data ? (
        <Records
          key={[projectId, run, metric, only].join(' ')}
          projectId={projectId}
          userId={me.data.member.userId}
        />
      ) : (
        <h1>Review</h1>
      )}
    </main>
  );
}

function Records({ projectId, userId }: { projectId: string; userId: string }) {
  const { run: runId, metric: metricId, only, view = 'reading', expected } = route.useSearch();
  const navigate = route.useNavigate();
  const scope = {
    projectId,
    runId,
    metricId,
    ...(only === 'assigned' ? { assigneeUserId: userId } : {}),
  };
  const { review, state } = useReview(scope, userId);
  const screen = useRef<HTMLDivElement>(null);
  const [isTagging, setTagging] = useState(false);
  const autoAdvance = useAutoAdvance();
  const shown = shownIn(state.queue);
  const toggleExpected = () =>
    void navigate({
      search: (all) => ({ ...all, expected: all.expected ? undefined : 'shown' }),
      replace: true,
    });
  const above = { projectId };
  const keys = useReviewKeys(screen, {
    review,
    state,
    shown,
    isAdvancing: autoAdvance.isOn,
    leave: () =>
      void navigate({
        to: '/projects/$projectId/review',
        params: above,
        search: { run: runId, metric: metricId },
      }),
    toggleExpected,
    tag: () => setTagging(true),
  });
  return (
    <>
      <header className={styles.head}>
        <h1>Review</h1>
        <Progress scope={scope} userId={userId} state={state} />
        <Link
          to="/projects/$projectId/review"
          params={above}
          search={{ run: runId, metric: metricId }}
          className={styles.leave}
        >
          Leave <kbd>Esc</kbd>
        </Link>
      </header>
      <div className={styles.body} ref={screen}>
        {shown ? (
          <>
            <Given
              key={shown.id}
              recordId={shown.id}
              view={view}
              setView={(chosen) =>
                void navigate({
                  search: (all) => ({
                    ...all,
                    view: chosen === 'json' || chosen === 'raw' ? chosen : undefined,
                  }),
                  replace: true,
                })
              }
              isExpectedShown={expected === 'shown'}
            />
            <ScoresForm
              review={review}
              state={state}
              shown={shown}
              keys={keys}
              autoAdvance={autoAdvance}
            />
          </>
        ) : (
          <div className={styles.between}>
            <Notices review={review} state={state} shown={shown} />
            {state.error ? (
              <Problem error={state.error} retry={() => void review.fill()} />
            ) : state.queue.isExhausted ? (
              <End scope={scope} review={review} state={state} />
            ) : (
              <p role="status">Reading …</p>
            )}
            <SavedScores state={state} undo={review.undo} />
          </div>
        )}
      </div>
      {(shown || state.queue.isExhausted || state.error) && (
        <Foot
          review={review}
          isShown={shown !== undefined}
          isUndoable={state.queue.saved.length > 0}
          toggleExpected={toggleExpected}
          tag={() => setTagging(true)}
        />
      )}
      {isTagging && shown && (
        <Dialog title="Tags of this record" onClose={() => setTagging(false)}>
          <Tags recordId={shown.id} isFocused />
        </Dialog>
      )}
    </>
  );
}
