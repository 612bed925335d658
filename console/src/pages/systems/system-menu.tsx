import type { ReplyOf } from '@assay/client/operations';
import { useNavigate } from '@tanstack/react-router';
import { useChange } from '../../api/query.ts';
import { ThingMenu } from '../../parts/thing-menu.tsx';
import { countOf } from '../../text/format.ts';

/** Renames a system, or deletes it. */
export function SystemMenu({
  projectId,
  system,
}: {
  projectId: string;
  system: ReplyOf<'GET', '/systems/:systemId'>;
}) {
  const params = { systemId: system.id };
  const navigate = useNavigate();
  const change = useChange('PATCH', '/systems/:systemId', {
    refreshes: ['/systems/:systemId', '/projects/:projectId/systems'],
  });
  return (
    <ThingMenu
      noun="system"
      thing={system}
      renaming={{
        ...change,
        rename: (body, onSuccess) => change.mutate({ params, body }, { onSuccess }),
      }}
      deletion={{
        path: '/systems/:systemId',
        params,
        refreshes: ['/projects/:projectId/systems'],
        consequence: `It goes with its ${countOf(system.versions.length, 'version')}. Runs of these versions stay, and show their configuration.`,
        leave: () => void navigate({ to: '/projects/$projectId/systems', params: { projectId } }),
      }}
    />
  );
}
