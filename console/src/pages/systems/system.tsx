import { getRouteApi, Link } from '@tanstack/react-router';
import { useChange, useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Id } from '../../parts/copy.tsx';
import { JsonDifference } from '../../parts/difference/difference.tsx';
import { Choice } from '../../parts/field.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { TrendSection } from '../../parts/trend/trend-section.tsx';
import { visible } from '../../text/format.ts';
import { indentedJson } from '../../text/json.ts';
import styles from './system.module.css';
import { SystemMenu } from './system-menu.tsx';

const route = getRouteApi('/frame/projects/$projectId/systems/$systemId');

/** One system: its versions, the configuration of one, and how it differs from another. */
export function System() {
  const { projectId, systemId } = route.useParams();
  const { version: chosen, against, ...trend } = route.useSearch();
  const navigate = route.useNavigate();
  const system = useReading('/systems/:systemId', { params: { systemId } });
  const above = (
    <Link to="/projects/$projectId/systems" params={{ projectId }}>
      Systems
    </Link>
  );
  const shown = chosen ?? system.data?.productionVersion.id ?? '';
  const version = useVersion(shown);
  const other = useVersion(against ?? '');
  const produce = useChange('PATCH', '/systems/:systemId', { refreshes: ['/systems/:systemId'] });
  if (!system.data)
    return (
      <Page title="System" above={above}>
        {system.error && <Problem error={system.error} retry={() => void system.refetch()} />}
      </Page>
    );
  const { name, description, productionVersion, versions } = system.data;
  return (
    <Page
      title={name}
      kind="System"
      above={above}
      actions={
        <>
          {shown !== productionVersion.id && (
            <Button
              isBusy={produce.isPending}
              onClick={() =>
                produce.mutate({ params: { systemId }, body: { productionVersionId: shown } })
              }
            >
              Make it the production version
            </Button>
          )}
          <SystemMenu projectId={projectId} system={system.data} />
        </>
      }
    >
      {description && <p>{description}</p>}
      {produce.error && <Problem error={produce.error} />}
      <TrendSection
        projectId={projectId}
        title="Its runs over time"
        systemId={systemId}
        search={trend}
        setSearch={(changes) =>
          void navigate({
            search: (before) => ({ ...before, ...changes }),
            replace: true,
            resetScroll: false,
          })
        }
      />
      <div className={styles.choices}>
        <Choice
          label="Version"
          value={shown}
          onChange={({ target }) =>
            void navigate({ search: (before) => ({ ...before, version: target.value }) })
          }
        >
          {versions.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
              {one.id === productionVersion.id ? ' (in production)' : ''}
            </option>
          ))}
        </Choice>
        <Choice
          label="Compared with"
          value={against ?? ''}
          onChange={({ target }) =>
            void navigate({
              search: (before) => ({ ...before, against: target.value || undefined }),
            })
          }
        >
          <option value="">Nothing</option>
          {versions
            .filter(({ id }) => id !== shown)
            .map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
        </Choice>
        <Id id={shown} />
      </div>
      {against && other.data && version.data ? (
        <JsonDifference before={other.data.config} after={version.data.config} />
      ) : (
        version.data && (
          <pre className={styles.config}>{visible(indentedJson(version.data.config))}</pre>
        )
      )}
    </Page>
  );
}

const useVersion = (systemVersionId: string) =>
  useReading('/systems/versions/:systemVersionId', {
    params: { systemVersionId },
    isEnabled: systemVersionId !== '',
  });
