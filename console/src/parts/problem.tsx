import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError } from '../api/request.ts';
import { Button, ButtonLink } from './button.tsx';
import { CopyButton } from './copy.tsx';
import styles from './problem.module.css';

/**
 * Says what went wrong, where it went wrong. A service that asks to wait is asked again after that
 * time.
 */
export function Problem({ error, retry }: { error: Error; retry?: () => void }) {
  const failure = error instanceof ApiError ? error : undefined;
  const seconds = useCountdown(retry ? failure?.retryAfterSeconds : undefined, retry);
  return (
    <div className={styles.problem} role="alert">
      <p>
        <strong>{failure?.status === 404 ? 'This does not exist, or not any more.' : ''}</strong>{' '}
        {error.message}
      </p>
      <p className={styles.details}>
        {failure && <code>{failure.code}</code>}
        {failure?.requestId && (
          <>
            {' · request '}
            <code>{failure.requestId}</code> <CopyButton text={failure.requestId} />
          </>
        )}
      </p>
      {retry && failure?.status === 404 && <WayUp />}
      {retry && failure?.status !== 404 && (
        <Button onClick={retry}>
          {seconds === undefined ? 'Try again' : `Try again (in ${seconds} s by itself)`}
        </Button>
      )}
    </div>
  );
}

/** Leads away from a page of something that is not there: to ask again would find it no more. */
function WayUp() {
  const { projectId } = useParams({ strict: false });
  return projectId === undefined ? (
    <ButtonLink to="/projects">Projects</ButtonLink>
  ) : (
    <ButtonLink to="/projects/$projectId" params={{ projectId }}>
      Overview
    </ButtonLink>
  );
}

/** Counts down, calls `onEnd`, and returns the seconds that are left. */
function useCountdown(from: number | undefined, onEnd: (() => void) | undefined) {
  const [left, setLeft] = useState(from);
  useEffect(() => setLeft(from), [from]);
  useEffect(() => {
    if (left === undefined) return;
    const timer = setTimeout(() => {
      if (left > 1) setLeft(left - 1);
      else onEnd?.();
    }, 1000);
    return () => clearTimeout(timer);
  }, [left, onEnd]);
  return left;
}
