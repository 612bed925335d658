import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { eachOf } from '../../api/each.ts';
import { refresh } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import type { Selection } from '../../parts/grid/selection.ts';
import { Popover } from '../../parts/popover.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf } from '../../text/format.ts';

const SetUpReview = lazy(async () => ({
  default: (await import('../review/set-up.tsx')).SetUpReview,
}));

/** Requests that are under way at once. */
const atOnce = 4;

/** What can be done with the records that are selected. */
export function SelectedRecords({ selection, run }: { selection: Selection; run: SelectedRun }) {
  const tag = useMutation({
    mutationFn: async (text: string) => {
      const recordIds = [...selection.ids];
      await eachOf(recordIds, { atOnce }, async (recordId) => {
        await request('POST', '/records/:recordId/tags', { params: { recordId }, body: { text } });
      });
      return recordIds.length;
    },
    onSuccess: () => refresh(['/runs/:runId/records']),
  });
  if (selection.ids.size === 0) return null;
  return (
    <>
      <Popover label={`Tag ${countOf(selection.ids.size, 'record')}`}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            tag.mutate(`${new FormData(event.currentTarget).get('text')}`.trim());
          }}
        >
          <Field label="Tag" name="text" required defaultValue="discuss" />
          {tag.error && <Problem error={tag.error} />}
          <Button kind="main" type="submit" isBusy={tag.isPending}>
            Tag
          </Button>
          <p role="status">
            {tag.isSuccess && `✓ ${countOf(tag.data, 'record')} tagged “${tag.variables}”`}
          </p>
        </form>
      </Popover>
      <StartReview {...run} recordIds={[...selection.ids]} />
    </>
  );
}

interface SelectedRun {
  projectId: string;
  runId: string;
}

/** Has the selected records reviewed, by oneself or by others. */
function StartReview(props: SelectedRun & { recordIds: string[] }) {
  const [isSettingUp, setUp] = useState(false);
  return (
    <>
      <Button onClick={() => setUp(true)}>Start a review of these</Button>
      {isSettingUp && (
        <Suspense>
          <SetUpReview {...props} onClose={() => setUp(false)} />
        </Suspense>
      )}
    </>
  );
}
