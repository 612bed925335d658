import { useParams } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { Page } from '../../parts/frame/page.tsx';

export function Overview() {
  const { projectId } = useParams({ from: '/frame/projects/$projectId' });
  const project = useReading('/projects/:projectId', { params: { projectId } });
  return <Page title={project.data?.name ?? '…'}>{project.data?.description}</Page>;
}
