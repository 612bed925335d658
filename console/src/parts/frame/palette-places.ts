import { isId as hasFormOfId } from '@assay/client/named';
import type { LinkProps } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { visible } from '../../text/format.ts';
import { runName } from '../../text/names.ts';
import { sections } from './sections.ts';

/** The id of a trace, as OpenTelemetry has it. */
const traceIdPattern = /^[0-9a-f]{32}$/i;
/** As many places as are shown. */
const placesMax = 12;
/** As many things of a kind are looked through by name. */
const namedMax = 100;

export interface Place {
  kind: string;
  text: string;
  target: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

/** The places whose names have the text, or the one that has it as its id. */
export function usePlaces(projectId: string | undefined, text: string): Place[] {
  const isId = hasFormOfId(text);
  const isTraceId = traceIdPattern.test(text);
  const byId = usePlacesOfId(projectId, text, { isId, isTraceId });
  const named = useNamedPlaces(projectId);
  const runs = useRunsOfName(projectId, isId || isTraceId ? '' : text);
  if (isId || isTraceId) return byId;
  const lower = text.toLowerCase();
  const known = [...(projectId ? pagesOf(projectId) : []), ...settingsPages, ...named];
  return [...known.filter((place) => place.text.toLowerCase().includes(lower)), ...runs].slice(
    0,
    placesMax,
  );
}

const settingsPages: Place[] = [
  { kind: 'Page', text: 'Projects', target: { to: '/projects' } },
  ...['organization', 'members', 'keys', 'usage', 'judges'].map((section) => ({
    kind: 'Page',
    text: `Settings: ${section}`,
    target: { to: '/settings/$section' as const, params: { section } },
  })),
];

/** The sections of a project, and the actions that have a page of their own. */
const pagesOf = (projectId: string): Place[] => [
  ...sections.map(({ to, text }) => ({
    kind: 'Page',
    text,
    target: { to, params: { projectId } },
  })),
  {
    kind: 'Action',
    text: 'Import files',
    target: { to: '/projects/$projectId/import', params: { projectId } },
  },
  {
    kind: 'Action',
    text: 'New run',
    target: { to: '/projects/$projectId/runs/new', params: { projectId } },
  },
  {
    kind: 'Action',
    text: 'New metric',
    target: { to: '/projects/$projectId/metrics/new', params: { projectId } },
  },
  {
    kind: 'Action',
    text: 'New metric from a ready-made judge',
    target: {
      to: '/projects/$projectId/metrics/new',
      params: { projectId },
      search: { library: 'open' },
    },
  },
];

/** The testsets, metrics and systems of the project, and all projects. */
function useNamedPlaces(projectId: string | undefined): Place[] {
  const wanted = {
    params: { projectId: projectId ?? '' },
    query: { limit: namedMax },
    isEnabled: projectId !== undefined,
  };
  const testsets = useReading('/projects/:projectId/testsets', wanted).data?.data ?? [];
  const metrics = useReading('/projects/:projectId/metrics', wanted).data?.data ?? [];
  const systems = useReading('/projects/:projectId/systems', wanted).data?.data ?? [];
  const projects = useReading('/projects', { query: { limit: namedMax } }).data?.data ?? [];
  const inProject = { projectId: projectId ?? '' };
  return [
    ...testsets.map(({ id, name }) => ({
      kind: 'Testset',
      text: visible(name),
      target: {
        to: '/projects/$projectId/testsets/$testsetId' as const,
        params: { ...inProject, testsetId: id },
      },
    })),
    ...metrics.map(({ id, name }) => ({
      kind: 'Metric',
      text: visible(name),
      target: {
        to: '/projects/$projectId/metrics/$metricId' as const,
        params: { ...inProject, metricId: id },
      },
    })),
    ...systems.map(({ id, name }) => ({
      kind: 'System',
      text: visible(name),
      target: {
        to: '/projects/$projectId/systems/$systemId' as const,
        params: { ...inProject, systemId: id },
      },
    })),
    ...projects.map(({ id, name }) => ({
      kind: 'Project',
      text: visible(name),
      target: { to: '/projects/$projectId' as const, params: { projectId: id } },
    })),
  ];
}

function useRunsOfName(projectId: string | undefined, name: string): Place[] {
  const runs = useReading('/projects/:projectId/runs', {
    params: { projectId: projectId ?? '' },
    query: { name, limit: placesMax },
    isEnabled: projectId !== undefined && name !== '',
  });
  return name === '' ? [] : placesOfRuns(projectId, runs.data?.data ?? []);
}

/** A run, record or trace whose id this is. */
function usePlacesOfId(
  projectId: string | undefined,
  id: string,
  { isId, isTraceId }: { isId: boolean; isTraceId: boolean },
): Place[] {
  const traceId = id.toLowerCase();
  const run = useReading('/runs/:runId', { params: { runId: id }, isEnabled: isId });
  const record = useReading('/records/:recordId', {
    params: { recordId: id },
    query: { preview: 0 },
    isEnabled: isId,
  });
  const trace = useReading('/traces/:traceId', { params: { traceId }, isEnabled: isTraceId });
  return [
    ...(isId && run.data ? placesOfRuns(projectId, [run.data]) : []),
    ...(isId && record.data && projectId ? [recordPlace(projectId, id)] : []),
    ...(isTraceId && trace.data ? [tracePlace(trace.data, traceId)] : []),
  ];
}

/** In the project that is open: a run does not say which one it belongs to. */
const placesOfRuns = (
  projectId: string | undefined,
  runs: { id: string; name?: string; createdAt: string }[],
): Place[] =>
  projectId === undefined
    ? []
    : runs.map((run) => ({
        kind: 'Run',
        text: runName(run),
        target: {
          to: '/projects/$projectId/runs/$runId' as const,
          params: { projectId, runId: run.id },
        },
      }));

const recordPlace = (projectId: string, recordId: string): Place => ({
  kind: 'Record',
  text: recordId,
  target: { to: '/projects/$projectId/records/$recordId', params: { projectId, recordId } },
});

const tracePlace = (
  { name, projectId }: { name: string; projectId: string },
  traceId: string,
): Place => ({
  kind: 'Trace',
  text: visible(name),
  target: { to: '/projects/$projectId/traces/$traceId', params: { projectId, traceId } },
});
