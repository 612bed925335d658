import { parseByValue } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { request } from '../../api/request.ts';
import type { EditorProblem } from '../../parts/editor/editor-types.ts';
import { useSettled } from '../../parts/settled.ts';
import { type Draft, trialBodyOf } from './draft.ts';
import type { Sample } from './use-sample.ts';

/** Where the text of the editor stands in a metric. */
const editorPaths = ['/promptTemplate', '/code/source'];

/** Has the server check a draft, and render the prompt of a record. */
export function useCheck({
  projectId,
  metricId,
  draft,
  sample: { recordId, typed },
}: {
  projectId: string;
  metricId: string | undefined;
  draft: Draft;
  sample: Pick<Sample, 'recordId' | 'typed'>;
}) {
  const body = writeJson({ ...trialBodyOf(draft), metricId, recordId, record: typed?.record });
  const settled = useSettled(body);
  const check = useQuery({
    queryKey: ['/projects/:projectId/metrics/check', projectId, settled],
    queryFn: ({ signal }) =>
      request('POST', '/projects/:projectId/metrics/check', {
        params: { projectId },
        body: parseByValue(settled) as never,
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 60_000,
  });
  const { issues = [], warnings = [], renderedPrompt } = check.data ?? {};
  // While the template is at fault, the prompt before stays, so that nothing jumps.
  const subjectId = recordId ?? typed?.testcaseId;
  const lastPrompt = useRef<{ subjectId: typeof subjectId; prompt: typeof renderedPrompt }>(
    undefined,
  );
  if (renderedPrompt) lastPrompt.current = { subjectId, prompt: renderedPrompt };
  const kept = lastPrompt.current?.subjectId === subjectId ? lastPrompt.current?.prompt : undefined;
  const problems = useMemo((): EditorProblem[] => {
    const { issues = [], warnings = [] } = check.data ?? {};
    const placed = ({ path, line = 1, column = 1, message }: (typeof issues)[number]) =>
      editorPaths.includes(path) ? [{ line, column, message }] : [];
    return [
      ...issues.flatMap(placed).map((one) => ({ ...one, severity: 'error' as const })),
      ...warnings.flatMap(placed).map((one) => ({ ...one, severity: 'warning' as const })),
    ];
  }, [check.data]);
  const isUnder = (path: string) => (issue: { path: string }) =>
    issue.path === path || issue.path.startsWith(`${path}/`);
  const messagesOf = (found: { message: string }[]) =>
    found.map(({ message }) => message).join(' ') || undefined;
  return {
    /** The problems of the editor's text. */
    problems,
    /** Returns the problems of a field and of its parts. */
    problemAt: (path: string) => messagesOf(issues.filter(isUnder(path))),
    warningAt: (path: string) => messagesOf(warnings.filter(isUnder(path))),
    /** Returns the problems outside of the editor and of these fields. */
    problemsBeside: (paths: string[]) =>
      issues.filter((issue) => ![...editorPaths, ...paths].some((path) => isUnder(path)(issue))),
    isFaulty: issues.length > 0,
    isChecking: settled !== body || check.isFetching,
    prompt: renderedPrompt ?? kept,
    isPromptOld: renderedPrompt === undefined,
    error: check.error,
    retry: () => void check.refetch(),
  };
}

export type Check = ReturnType<typeof useCheck>;
