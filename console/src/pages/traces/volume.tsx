import type { ReplyOf } from '@assay/client/operations';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type PointerEvent, useState } from 'react';
import { reading } from '../../api/query.ts';
import { countOf, formatCount, formatInstant } from '../../text/format.ts';
import { bucketAt, timeOf } from './buckets.ts';
import styles from './traces.module.css';

const route = getRouteApi('/frame/projects/$projectId/traces');

const buckets = 80;
/** Counting may take a second: rarer than the list asks for new traces. */
const askEveryMs = 30_000;
/** In units of the drawing; a bar is one wide. */
const height = 40;

type VolumeReply = ReplyOf<'GET', '/projects/:projectId/traces/volume'>;

/** How many traces began when, and how many of them failed. A click or a drag filters by that time. */
export function Volume() {
  const { projectId } = route.useParams();
  const { text: _text, ...search } = route.useSearch();
  const { data } = useQuery({
    ...reading('/projects/:projectId/traces/volume', {
      params: { projectId },
      query: { ...search, buckets },
    }),
    refetchInterval: askEveryMs,
  });
  // The list says what is wrong with the filters.
  return data ? <Bars volume={data} /> : <div className={styles.volume} />;
}

function Bars({ volume }: { volume: VolumeReply }) {
  const navigate = route.useNavigate();
  const [dragged, setDragged] = useState<[number, number]>();
  const { data } = volume;
  const most = Math.max(1, ...data.map(({ traces }) => traces ?? 0));
  const placeOf = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return bucketAt((clientX - left) / width, data.length);
  };
  const sum = (name: 'traces' | 'errors') => data.reduce((all, each) => all + (each[name] ?? 0), 0);
  const said = `${volume.isComplete ? '' : 'At least '}${countOf(sum('traces'), 'trace')}, ${formatCount(sum('errors'))} with errors, from ${formatInstant(volume.from)} to ${formatInstant(volume.to)}`;
  return (
    <figure className={styles.volume}>
      <svg
        viewBox={`0 0 ${data.length} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={said}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDragged([placeOf(event), placeOf(event)]);
        }}
        onPointerMove={(event) => dragged && setDragged([dragged[0], placeOf(event)])}
        onPointerCancel={() => setDragged(undefined)}
        onPointerUp={() => {
          if (!dragged) return;
          setDragged(undefined);
          void navigate({ search: (before) => ({ ...before, ...timeOf(volume, dragged) }) });
        }}
      >
        {data.map(({ from, traces, errors }, at) => {
          const [all, failed] = [traces ?? 0, errors ?? 0].map((count) => (height * count) / most);
          return (
            <g key={from}>
              {traces === null ? (
                <rect className={styles.uncounted} x={at} width="1" height={height} />
              ) : (
                <>
                  <rect className={styles.bar} x={at} y={height - all!} width="0.85" height={all} />
                  <rect
                    className={styles.failedBar}
                    x={at}
                    y={height - failed!}
                    width="0.85"
                    height={failed}
                  />
                </>
              )}
              <rect className={styles.place} x={at} width="1" height={height}>
                <title>{titleOf(volume, at)}</title>
              </rect>
            </g>
          );
        })}
        {dragged && (
          <rect
            className={styles.dragged}
            x={Math.min(...dragged)}
            width={Math.abs(dragged[1] - dragged[0]) + 1}
            height={height}
          />
        )}
      </svg>
      <figcaption>{said}</figcaption>
    </figure>
  );
}

function titleOf(volume: VolumeReply, at: number): string {
  const { traces, errors } = volume.data[at]!;
  const { from, to } = timeOf(volume, [at, at]);
  const counts =
    traces === null
      ? 'not counted: choose a shorter time'
      : `${countOf(traces, 'trace')}, ${formatCount(errors ?? 0)} with errors`;
  return `${formatInstant(from)} to ${formatInstant(to)}: ${counts}`;
}
