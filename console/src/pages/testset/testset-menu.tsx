import { useNavigate } from '@tanstack/react-router';
import { useChange, useReading } from '../../api/query.ts';
import { ThingMenu } from '../../parts/thing-menu.tsx';
import { countOf } from '../../text/format.ts';
import type { Testset } from './fields.ts';

/** Renames a testset, or deletes it with its testcases. */
export function TestsetMenu({ projectId, testset }: { projectId: string; testset: Testset }) {
  const { id: testsetId } = testset;
  const navigate = useNavigate();
  const params = { testsetId };
  const change = useChange('PATCH', '/testsets/:testsetId', {
    refreshes: ['/testsets/:testsetId', '/projects/:projectId/testsets'],
  });
  const testcases = useReading('/testsets/:testsetId/testcases', {
    params,
    query: { limit: 1, preview: 0 },
  });
  const total = testcases.data?.total;
  const many = total === undefined ? 'testcases' : countOf(total, 'testcase');
  return (
    <ThingMenu
      noun="testset"
      thing={testset}
      renaming={{
        ...change,
        rename: (body, onSuccess) => change.mutate({ params, body }, { onSuccess }),
      }}
      deletion={{
        path: '/testsets/:testsetId',
        params,
        refreshes: ['/projects/:projectId/testsets'],
        consequence: `Its ${many} go with it. Runs over it stay, with their records and scores.`,
        leave: () => void navigate({ to: '/projects/$projectId/testsets', params: { projectId } }),
      }}
    />
  );
}
