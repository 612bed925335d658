import { isId as hasFormOfId } from '@assay/client/named';
import type { LinkProps } from '@tanstack/react-router';
import { type NamedThing, useNamed, useThings } from '../../api/named.ts';
import { useReading } from '../../api/query.ts';
import { visible } from '../../text/format.ts';
import { nameKinds, searchRemark, thingName } from '../../text/named.ts';
import { presentActions } from '../page-actions.ts';
import { sections } from './sections.ts';

/** The id of a trace, as OpenTelemetry has it. */
const traceIdPattern = /^[0-9a-f]{32}$/i;
/** As many projects are looked through by name. */
const projectsMax = 100;

type Target = Pick<LinkProps, 'to' | 'params' | 'search'>;

/** A place to go to, or something that is done here. */
export interface Place {
  kind: string;
  text: string;
  act: { target: Target } | { run: () => void };
}

/**
 * The actions of the present page, the pages, and the things whose names have the words of the text,
 * or the one that has it as its id.
 */
export function usePlaces(
  projectId: string | undefined,
  text: string,
): { places: Place[]; remark: string } {
  const isId = hasFormOfId(text);
  const isTraceId = traceIdPattern.test(text);
  const byId = usePlacesOfId(projectId, text, { isId, isTraceId });
  const projects = useReading('/projects', { query: { limit: projectsMax } }).data?.data ?? [];
  const isSearched = text !== '' && !isId && !isTraceId;
  const search = useNamed(projectId, { text, isEnabled: isSearched });
  if (isId || isTraceId)
    return { places: byId, remark: byId.length === 0 ? 'Nothing has this id here.' : '' };
  const words = text.toLowerCase().split(/\s+/);
  const known = [
    ...actionsHere(),
    ...(projectId ? pagesOf(projectId) : []),
    ...settingsPages,
    ...projects.map(projectPlace),
  ].filter((place) => words.every((word) => place.text.toLowerCase().includes(word)));
  const isFound = isSearched && projectId !== undefined;
  const things = isFound ? search.names.map((thing) => thingPlace(projectId, thing)) : [];
  const places = [...known, ...things];
  if (isFound) return { places, remark: searchRemark({ ...search, count: places.length }) };
  return { places, remark: text !== '' && projectId === undefined ? remarkOutside : '' };
}

/** No project is open whose things could be searched. */
const remarkOutside = 'Open a project to find its runs, testsets and metrics by name.';

/** Of the page below, which cannot change while the palette is over it. */
const actionsHere = (): Place[] =>
  presentActions().map(({ text, run }) => ({ kind: 'Here', text, act: { run } }));

const settingsPages: Place[] = [
  { kind: 'Page', text: 'Projects', act: { target: { to: '/projects' } } },
  ...['organization', 'members', 'keys', 'usage', 'judges'].map((section) => ({
    kind: 'Page',
    text: `Settings: ${section}`,
    act: { target: { to: '/settings/$section' as const, params: { section } } },
  })),
];

/** The sections of a project, and the actions that have a page of their own. */
const pagesOf = (projectId: string): Place[] => [
  ...sections.map(({ to, text }) => ({
    kind: 'Page',
    text,
    act: { target: { to, params: { projectId } } },
  })),
  {
    kind: 'Action',
    text: 'Import files',
    act: { target: { to: '/projects/$projectId/import', params: { projectId } } },
  },
  {
    kind: 'Action',
    text: 'New run',
    act: { target: { to: '/projects/$projectId/runs/new', params: { projectId } } },
  },
  {
    kind: 'Action',
    text: 'New metric',
    act: { target: { to: '/projects/$projectId/metrics/new', params: { projectId } } },
  },
  {
    kind: 'Action',
    text: 'New metric from a ready-made judge',
    act: {
      target: {
        to: '/projects/$projectId/metrics/new',
        params: { projectId },
        search: { library: 'open' },
      },
    },
  },
];

const projectPlace = ({ id, name }: { id: string; name: string }): Place => ({
  kind: 'Project',
  text: visible(name),
  act: { target: { to: '/projects/$projectId', params: { projectId: id } } },
});

const thingPlace = (projectId: string, thing: NamedThing): Place => ({
  kind: nameKinds[thing.kind].one,
  text: thingName(thing),
  act: { target: targetOf(projectId, thing) },
});

function targetOf(projectId: string, { kind, id, systemId }: NamedThing): Target {
  switch (kind) {
    case 'run':
      return { to: '/projects/$projectId/runs/$runId', params: { projectId, runId: id } };
    case 'testset':
      return {
        to: '/projects/$projectId/testsets/$testsetId',
        params: { projectId, testsetId: id },
      };
    case 'metric':
      return { to: '/projects/$projectId/metrics/$metricId', params: { projectId, metricId: id } };
    case 'system':
      return { to: '/projects/$projectId/systems/$systemId', params: { projectId, systemId: id } };
    case 'systemVersion':
      return {
        to: '/projects/$projectId/systems/$systemId',
        params: { projectId, systemId: systemId! },
        search: { version: id },
      };
    case 'monitor':
      return { to: '/projects/$projectId/monitors', params: { projectId } };
  }
}

/** A thing of the project, a record or a trace whose id this is. */
function usePlacesOfId(
  projectId: string | undefined,
  id: string,
  { isId, isTraceId }: { isId: boolean; isTraceId: boolean },
): Place[] {
  const traceId = id.toLowerCase();
  const thing = useThings(projectId ?? '', isId && projectId !== undefined ? [id] : []).thing(id);
  const record = useReading('/records/:recordId', {
    params: { recordId: id },
    query: { preview: 0 },
    isEnabled: isId,
  });
  const trace = useReading('/traces/:traceId', { params: { traceId }, isEnabled: isTraceId });
  return [
    ...(thing && projectId ? [thingPlace(projectId, thing)] : []),
    ...(isId && record.data && projectId ? [recordPlace(projectId, id)] : []),
    ...(isTraceId && trace.data ? [tracePlace(trace.data, traceId)] : []),
  ];
}

const recordPlace = (projectId: string, recordId: string): Place => ({
  kind: 'Record',
  text: recordId,
  act: {
    target: { to: '/projects/$projectId/records/$recordId', params: { projectId, recordId } },
  },
});

const tracePlace = (
  { name, projectId }: { name: string; projectId: string },
  traceId: string,
): Place => ({
  kind: 'Trace',
  text: visible(name),
  act: { target: { to: '/projects/$projectId/traces/$traceId', params: { projectId, traceId } } },
});
