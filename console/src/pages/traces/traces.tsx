import { getRouteApi } from '@tanstack/react-router';
import { useList } from '../../api/list.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { NoneFound } from '../../parts/search/none-found.tsx';
import { SearchedSoFar } from '../../parts/search/searched-so-far.tsx';
import { countOf, formatInstant } from '../../text/format.ts';
import { NoTraces } from './no-traces.tsx';
import { TraceFilters } from './trace-filters.tsx';
import { TraceGrid } from './trace-grid.tsx';
import { TraceRetention } from './trace-retention.tsx';
import styles from './traces.module.css';
import { newestMax, useNewTraces } from './use-new-traces.ts';
import { useTraceSearch } from './use-trace-search.ts';
import { Volume } from './volume.tsx';

const route = getRouteApi('/frame/projects/$projectId/traces');

/** The traces of a project, the newest first. */
export function Traces() {
  const { projectId } = route.useParams();
  const { text } = route.useSearch();
  return (
    <Page title="Traces" actions={<TraceRetention projectId={projectId} />}>
      <TraceFilters />
      {text ? <FoundTraces text={text} /> : <ListedTraces />}
    </Page>
  );
}

function ListedTraces() {
  const { projectId } = route.useParams();
  const { text: _text, ...filters } = route.useSearch();
  const query = { ...filters, records: 'true' as const };
  const read = useList('/projects/:projectId/traces', { params: { projectId }, query });
  const { list, count, show } = useNewTraces(projectId, { list: read, query });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <div className={isFiltered || list.rows > 0 ? undefined : styles.unseen}>
        <Volume />
      </div>
      <TraceGrid
        list={list}
        tools={
          count > 0 && (
            <Button onClick={show}>
              {count === newestMax ? `${count} or more new traces` : countOf(count, 'new trace')}:
              show
            </Button>
          )
        }
        empty={isFiltered ? <NonePasses /> : <NoTraces projectId={projectId} />}
      />
    </>
  );
}

function FoundTraces({ text }: { text: string }) {
  const { projectId } = route.useParams();
  const { text: _text, ...filters } = route.useSearch();
  const query = { ...filters, records: 'true' as const };
  const { list, last, state } = useTraceSearch(projectId, { text, query });
  const back = last?.searchedTo && `, back to ${formatInstant(last.searchedTo)}`;
  return (
    <>
      <SearchedSoFar
        state={state}
        progress={last && `Searched ${countOf(last.searched, 'trace')}${back ?? ''}.`}
      />
      <TraceGrid
        list={list}
        empty={
          <NoneFound state={state}>
            <NonePasses />
          </NoneFound>
        }
      />
    </>
  );
}

function NonePasses() {
  const navigate = route.useNavigate();
  return (
    <Empty
      title="No trace passes these filters"
      action={<Button onClick={() => void navigate({ search: {} })}>Take all filters away</Button>}
    >
      All traces of the project are there again without them.
    </Empty>
  );
}
