import { useEffect, useState } from 'react';
import { useReading } from '../../api/query.ts';
import { ApiError } from '../../api/request.ts';

const storageKey = 'assay.project';

export interface FrameProject {
  id: string | undefined;
  name: string;
  /** True of a page of a project that is not there, or not of this organization. */
  isMissing: boolean;
}

/**
 * The project of the page. On a page of none, such as the settings, it is the one that was looked
 * at last in this browser.
 */
export function useFrameProject(ofPage: string | undefined): FrameProject {
  const [last, setLast] = useState(() => localStorage.getItem(storageKey) ?? undefined);
  const id = ofPage ?? last;
  const project = useReading('/projects/:projectId', {
    params: { projectId: id ?? '' },
    isEnabled: id !== undefined,
  });
  const isMissing = project.error instanceof ApiError && project.error.status === 404;
  useEffect(() => {
    if (id === undefined) return;
    if (isMissing) forgetLastProject();
    else localStorage.setItem(storageKey, id);
    setLast(isMissing ? undefined : id);
  }, [id, isMissing]);
  return id === undefined || isMissing
    ? { id: undefined, name: 'All projects', isMissing: isMissing && ofPage !== undefined }
    : { id, name: project.data?.name ?? '…', isMissing: false };
}

/** Of whoever signs out. */
export const forgetLastProject = (): void => localStorage.removeItem(storageKey);
