import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { request } from '../../api/request.ts';
import { useSettled } from '../../parts/settled.ts';
import { Time } from '../../parts/time.tsx';
import { countOf, formatCount, visible } from '../../text/format.ts';
import { type MonitorSettings, settingsOf } from './monitor-settings.ts';
import type { MonitorItem } from './monitor-text.ts';
import styles from './monitors.module.css';

/** Tells, while its form is filled in, what a monitor would take of the last hour. */
export function WhatWouldMatch({
  projectId,
  monitor,
}: {
  projectId: string;
  monitor: MonitorItem | undefined;
}) {
  const section = useRef<HTMLElement>(null);
  const [body, setBody] = useState<string>();
  useEffect(() => {
    const form = section.current!.closest('form')!;
    const read = () =>
      setBody(JSON.stringify(bodyOf(settingsOf(new FormData(form), monitor?.filter), monitor)));
    read();
    form.addEventListener('input', read);
    return () => form.removeEventListener('input', read);
  }, [monitor]);
  const settled = useSettled(body ?? '');
  const preview = useQuery({
    queryKey: ['/projects/:projectId/monitors/preview', projectId, settled],
    queryFn: ({ signal }) =>
      request('POST', '/projects/:projectId/monitors/preview', {
        params: { projectId },
        body: JSON.parse(settled),
        signal,
      }),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <section ref={section} className={styles.preview} aria-label="What would match">
      <p role="status">
        {preview.error?.message ?? (preview.data ? previewText(preview.data) : 'Looking…')}
      </p>
      <ul>
        {preview.data?.examples.map(({ traceId, name, startedAt, inputPreview }) => (
          <li key={traceId}>
            <Time at={startedAt} />{' '}
            <Link
              to="/projects/$projectId/traces/$traceId"
              params={{ projectId, traceId }}
              target="_blank"
            >
              {visible(name)}
            </Link>{' '}
            {inputPreview && visible(inputPreview)}
          </li>
        ))}
      </ul>
    </section>
  );
}

const bodyOf = ({ filter, sampleRate }: MonitorSettings, monitor: MonitorItem | undefined) => ({
  filter,
  sampleRate,
  ...(monitor ? { monitorId: monitor.id, sampleBy: monitor.sampleBy } : {}),
});

const previewText = ({
  seen,
  matched,
  sampled,
}: {
  seen: number;
  matched: number;
  sampled: number;
}): string =>
  seen === 0
    ? 'No trace of the last hour has settled yet.'
    : `Of the last hour’s ${countOf(seen, 'trace')}, ${formatCount(matched)} would match and ${formatCount(sampled)} be taken.`;
