import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { reading } from '../../api/query.ts';
import { visible } from '../../text/format.ts';

/** Longer names are cut: tabs and histories show less. */
const nameMax = 60;

/**
 * Names the page for tabs, histories and bookmarks: by its thing, the kind of it, and its project,
 * so that no two pages of a history are called alike.
 */
export function usePageTitle(name: string, kind?: string): void {
  const { projectId } = useParams({ strict: false });
  const project = useQuery({
    ...reading('/projects/:projectId', { params: { projectId: projectId ?? '' } }),
    enabled: projectId !== undefined,
    // The page that says that there is no such project asks no more.
    retryOnMount: false,
  });
  const projectName = project.data?.name ?? '';
  useEffect(() => {
    const parts = [cut(name), kind ?? '', cut(visible(projectName)), 'Assay'];
    const distinct = parts.filter((part, at) => part !== '' && parts.indexOf(part) === at);
    document.title = distinct.join(' · ');
  }, [name, kind, projectName]);
}

const cut = (text: string): string =>
  text.length > nameMax ? `${text.slice(0, nameMax - 1)}…` : text;
