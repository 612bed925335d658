import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '../../api/query.ts';
import { readData, replaceData } from '../../api/testcases.ts';
import { Button } from '../../parts/button.tsx';
import { Id } from '../../parts/copy.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { visible } from '../../text/format.ts';
import { parseObject } from '../../text/json.ts';
import { Versions } from './history/versions.tsx';
import type { TestcaseItem } from './testcase.ts';
import { TestcaseAnnotations } from './testcase-annotations.tsx';

/** The whole data of a testcase as JSON. */
export function DataDialog({
  testcase: { id: testcaseId, key },
  onClose,
}: {
  testcase: Pick<TestcaseItem, 'id' | 'key'>;
  onClose: () => void;
}) {
  const data = useQuery({
    queryKey: ['/testcases/:testcaseId/data', testcaseId],
    queryFn: () => readData(testcaseId),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [draft, setDraft] = useState<string>();
  const [isHistoryOpen, setHistoryOpen] = useState(false);
  const [problem, setProblem] = useState<string>();
  const save = useMutation({
    mutationFn: (json: string) => replaceData(testcaseId, json),
    onSuccess: () =>
      refresh([
        '/testsets/:testsetId/testcases',
        '/testsets/:testsetId/changes',
        '/testsets/:testsetId/duplicates',
        '/testcases/:testcaseId',
        '/testcases/:testcaseId/versions',
      ]),
  });
  const text = draft ?? data.data ?? '';
  return (
    <Dialog title="Data of the testcase" onClose={onClose}>
      <p>
        <Id id={testcaseId} />
        {key !== undefined && (
          <>
            {' '}
            Key: <code>{visible(key)}</code>
          </>
        )}
      </p>
      {data.error && <Problem error={data.error} retry={() => void data.refetch()} />}
      {data.data !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const parsed = parseObject(text);
            setProblem(parsed instanceof Error ? parsed.message : undefined);
            if (!(parsed instanceof Error)) save.mutate(text, { onSuccess: onClose });
          }}
        >
          <Field
            label="Data (JSON)"
            rows={16}
            spellCheck={false}
            value={text}
            onChange={({ target }) => setDraft(target.value)}
            problem={problem}
          />
          {save.error && <Problem error={save.error} />}
          <Actions>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="main" type="submit" isBusy={save.isPending}>
              Save
            </Button>
          </Actions>
        </form>
      )}
      <TestcaseAnnotations testcaseId={testcaseId} />
      <details onToggle={({ currentTarget }) => setHistoryOpen(currentTarget.open)}>
        <summary>Earlier versions</summary>
        {isHistoryOpen && <Versions testcaseId={testcaseId} onRestored={onClose} />}
      </details>
    </Dialog>
  );
}
