import type { ReplyOf } from '@assay/client/operations';
import { useNavigate } from '@tanstack/react-router';
import type { Names } from '../../api/names.ts';
import { useChange } from '../../api/query.ts';
import { ThingMenu } from '../../parts/thing-menu.tsx';
import { countOf } from '../../text/format.ts';

/** Renames a project, or deletes it with everything in it. */
export function ProjectMenu({
  project,
  names,
  runs,
}: {
  project: ReplyOf<'GET', '/projects/:projectId'>;
  names: Names;
  /** The runs of the project in words, such as `more than 100 runs`. */
  runs: string;
}) {
  const params = { projectId: project.id };
  const navigate = useNavigate();
  const change = useChange('PATCH', '/projects/:projectId', {
    refreshes: ['/projects/:projectId', '/projects'],
  });
  return (
    <ThingMenu
      noun="project"
      thing={project}
      renaming={{
        ...change,
        rename: (body, onSuccess) => change.mutate({ params, body }, { onSuccess }),
      }}
      deletion={{
        path: '/projects/:projectId',
        params,
        refreshes: ['/projects'],
        consequence: `Everything in it goes: ${countOf(names.testsets.length, 'testset')}, ${countOf(names.systems.length, 'system')}, ${runs} with all records and scores, metrics and traces.`,
        leave: () => void navigate({ to: '/projects' }),
      }}
    />
  );
}
