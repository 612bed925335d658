import type { ReplyOf } from '@assay/client/operations';
import { useNavigate } from '@tanstack/react-router';
import { ThingMenu } from '../../parts/thing-menu.tsx';

/** Deletes a metric; its name is a field of its editor. */
export function MetricMenu({
  projectId,
  metric,
}: {
  projectId: string;
  metric: ReplyOf<'GET', '/metrics/:metricId'>;
}) {
  const navigate = useNavigate();
  return (
    <ThingMenu
      noun="metric"
      thing={metric}
      deletion={{
        path: '/metrics/:metricId',
        params: { metricId: metric.id },
        refreshes: ['/projects/:projectId/metrics'],
        consequence: 'New runs cannot have it. The scores that it has given stay.',
        leave: () => void navigate({ to: '/projects/$projectId/metrics', params: { projectId } }),
      }}
    />
  );
}
