import { isId as hasFormOfId } from '@assay/client/named';
import { type LinkProps, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { useNames } from '../../api/names.ts';
import { useReading } from '../../api/query.ts';
import { visible } from '../../text/format.ts';
import { runName } from '../../text/names.ts';
import { Dialog } from '../dialog.tsx';
import { Field } from '../field.tsx';
import styles from './palette.module.css';

/** The id of a trace, as OpenTelemetry has it. */
const traceIdPattern = /^[0-9a-f]{32}$/i;
/** As many places as are shown. */
const placesMax = 12;

type Target = Pick<LinkProps, 'to' | 'params' | 'search'>;
interface Place {
  kind: string;
  text: string;
  target: Target;
}

/** Goes to a page, a name or an id that is typed or pasted. */
export function Palette({
  projectId,
  pages,
  onClose,
}: {
  projectId: string;
  pages: { text: string; target: Target }[];
  onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const text = typed.trim();
  const places = usePlaces(projectId, { text, pages });
  const go = (place: Place | undefined) => {
    if (!place) return;
    onClose();
    void navigate(place.target as never);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((chosen + step + places.length) % Math.max(1, places.length));
    else if (event.key === 'Enter') go(places[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <Field
        label="A page, a name or an id"
        type="search"
        autoFocus
        role="combobox"
        aria-expanded
        aria-controls="places"
        aria-activedescendant={places[chosen] && `place-${chosen}`}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="places" role="listbox" aria-label="Places" className={styles.places}>
        {places.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: The field above has the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: The focus stays in the field.
          <div
            key={`${place.kind} ${place.text} ${JSON.stringify(place.target.params)}`}
            id={`place-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={styles.place}
            onClick={() => go(place)}
          >
            <span className={styles.kind}>{place.kind}</span> {place.text}
          </div>
        ))}
      </div>
      {places.length === 0 && <p role="status">Nothing of this name here.</p>}
    </Dialog>
  );
}

/** The places whose names have the text, or the one that has it as its id. */
function usePlaces(
  projectId: string,
  { text, pages }: { text: string; pages: { text: string; target: Target }[] },
): Place[] {
  const isId = hasFormOfId(text);
  const isTraceId = traceIdPattern.test(text);
  const traceId = text.toLowerCase();
  const isWord = text !== '' && !isId && !isTraceId;
  const names = useNames(projectId);
  const projects = useReading('/projects', { query: { limit: 100 } });
  const runs = useReading('/projects/:projectId/runs', {
    params: { projectId },
    query: { name: text, limit: placesMax },
    isEnabled: isWord,
  });
  const run = useReading('/runs/:runId', { params: { runId: text }, isEnabled: isId });
  const record = useReading('/records/:recordId', {
    params: { recordId: text },
    query: { preview: 0 },
    isEnabled: isId,
  });
  const trace = useReading('/traces/:traceId', { params: { traceId }, isEnabled: isTraceId });
  const runPlace = (found: { id: string; name?: string; createdAt: string }): Place => ({
    kind: 'Run',
    text: runName(found),
    target: {
      to: '/projects/$projectId/runs/$runId',
      params: { projectId, runId: found.id },
    },
  });
  if (isTraceId)
    return trace.data
      ? [
          {
            kind: 'Trace',
            text: visible(trace.data.name),
            target: {
              to: '/projects/$projectId/traces/$traceId',
              params: { projectId: trace.data.projectId, traceId },
            },
          },
        ]
      : [];
  if (isId)
    return [
      ...(run.data ? [runPlace(run.data)] : []),
      ...(record.data
        ? [
            {
              kind: 'Record',
              text,
              target: {
                to: '/projects/$projectId/records/$recordId' as const,
                params: { projectId, recordId: text },
              },
            },
          ]
        : []),
    ];
  const known: Place[] = [
    ...pages.map((page) => ({ kind: 'Page', ...page })),
    ...names.systems.map(({ id, name }) => ({
      kind: 'System',
      text: name,
      target: {
        to: '/projects/$projectId/systems/$systemId' as const,
        params: { projectId, systemId: id },
      },
    })),
    ...(projects.data?.data ?? []).map(({ id, name }) => ({
      kind: 'Project',
      text: name,
      target: { to: '/projects/$projectId' as const, params: { projectId: id } },
    })),
  ];
  const lower = text.toLowerCase();
  return [
    ...known.filter((place) => place.text.toLowerCase().includes(lower)),
    ...(isWord ? (runs.data?.data ?? []).map(runPlace) : []),
  ].slice(0, placesMax);
}
