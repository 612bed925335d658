import { getRouteApi, Link } from '@tanstack/react-router';
import { useList } from '../../api/list.ts';
import { useReading } from '../../api/query.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { HeldName } from '../../parts/held-name.tsx';
import { Time } from '../../parts/time.tsx';
import { curl } from '../../text/commands.ts';
import { outputOf, scorerOf, scorers, thresholdText } from '../../text/metrics.ts';

const route = getRouteApi('/frame/projects/$projectId/metrics');

/** The metrics of a project, and who scores them. */
export function Metrics() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const list = useList('/projects/:projectId/metrics', { params: { projectId } });
  const create = (
    <>
      <ButtonLink
        to="/projects/$projectId/metrics/new"
        params={{ projectId }}
        search={{ library: 'open' }}
      >
        Ready-made judges
      </ButtonLink>
      <ButtonLink kind="main" to="/projects/$projectId/metrics/new" params={{ projectId }}>
        New metric
      </ButtonLink>
    </>
  );
  return (
    <Page title="Metrics" actions={create}>
      <Grid
        name="metrics"
        label="Metrics"
        noun="metric"
        list={list}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        open={({ id }) =>
          void navigate({
            to: '/projects/$projectId/metrics/$metricId',
            params: { projectId, metricId: id },
          })
        }
        columns={[
          {
            id: 'name',
            name: 'Name',
            width: 220,
            cell: ({ id, name }) => (
              <Link
                to="/projects/$projectId/metrics/$metricId"
                params={{ projectId, metricId: id }}
              >
                <HeldName id={id}>{name}</HeldName>
              </Link>
            ),
          },
          {
            id: 'scorer',
            name: 'Who scores',
            width: 150,
            cell: (metric) => <span>{scorers[scorerOf(metric)].text}</span>,
          },
          {
            id: 'how',
            name: 'Model or rule',
            width: 200,
            cell: (metric) => <span>{ruleOf(metric)}</span>,
          },
          {
            id: 'outputType',
            name: 'Output',
            width: 110,
            cell: outputOf,
          },
          {
            id: 'threshold',
            name: 'Passes at',
            width: 110,
            isNumber: true,
            cell: thresholdText,
          },
          {
            id: 'version',
            name: 'Latest version',
            width: 140,
            cell: ({ id }) => <CurrentVersion metricId={id} />,
          },
        ]}
        empty={
          <Empty
            title="No metrics yet"
            action={create}
            command={curl('POST', `/projects/${projectId}/metrics`, {
              name: 'Same answer',
              evalType: 'heuristic',
              outputType: 'boolean',
              builtin: { name: 'exact_match', options: { ignoreCase: true } },
            })}
          >
            A metric says what is measured, and who scores it: a model, a rule, your code, or
            people. Each change of how it scores is a version, so that old scores keep their
            meaning. Begin with a ready-made judge, or write your own.
          </Empty>
        }
      />
    </Page>
  );
}

/** The model of a judge, the name of a built-in evaluator, the language of code. */
function ruleOf(metric: object): string {
  const { evalModelName, builtin, code } = metric as {
    evalModelName?: string;
    builtin?: { name: string };
    code?: { language: string };
  };
  return evalModelName ?? builtin?.name ?? code?.language ?? '';
}

/** When the current version was made. Read for the rows in view. */
function CurrentVersion({ metricId }: { metricId: string }) {
  const versions = useReading('/metrics/:metricId/versions', {
    params: { metricId },
    query: { limit: 1 },
  });
  const [current] = versions.data?.data ?? [];
  return current ? <Time at={current.createdAt} /> : null;
}
