import { parseJson } from '@assay/json/parse';
import { useMutation } from '@tanstack/react-query';
import { change, refresh, useChange } from '../../api/query.ts';
import { Choice, Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import type { Selection } from '../../parts/grid/selection.ts';
import { Problem } from '../../parts/problem.tsx';
import { countOf, visible } from '../../text/format.ts';
import { fieldsOf, type Testset } from './fields.ts';
import styles from './testset.module.css';

/** The tags in the text of a value; undefined where it is something else, or cut. */
export function tagsIn(text: string, isJson: boolean): string[] | undefined {
  if (!isJson) return text === '' ? [] : [text];
  try {
    const value: unknown = parseJson(text);
    return Array.isArray(value) && value.every((tag) => typeof tag === 'string')
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

export const Tags = ({ tags }: { tags: string[] }) => (
  <span className={styles.tags}>
    {tags.map((tag, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: A tag may stand there twice.
      <span key={index}>
        <span className={styles.tag}>{visible(tag)}</span>{' '}
      </span>
    ))}
  </span>
);

/** Testcases that one request tags. */
const taggedMax = 1000;

const tagsOf = (form: FormData, name: string): string[] =>
  String(form.get(name))
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** Tags the testcases that are selected. */
export function TagSelected({
  testsetId,
  selection,
  onClose,
}: {
  testsetId: string;
  selection: Selection;
  onClose: () => void;
}) {
  const tagging = useMutation({
    mutationFn: async (tags: { add: string[]; remove: string[] }) => {
      const all = [...selection.ids];
      for (let from = 0; from < all.length; from += taggedMax)
        await change('POST', '/testsets/:testsetId/testcases/tags', {
          params: { testsetId },
          body: { ids: all.slice(from, from + taggedMax), ...tags },
        });
    },
    onSuccess: () => refresh(['/testsets/:testsetId/testcases', '/testsets/:testsetId/changes']),
  });
  return (
    <FormDialog
      title={`Tag ${countOf(selection.ids.size, 'testcase')}`}
      button="Save"
      change={tagging}
      onClose={onClose}
      submit={(form) =>
        tagging.mutate(
          { add: tagsOf(form, 'add'), remove: tagsOf(form, 'remove') },
          {
            onSuccess: () => {
              selection.clear();
              onClose();
            },
          },
        )
      }
    >
      <Field label="Add" name="add" hint="Tags with commas between them." />
      <Field label="Remove" name="remove" />
    </FormDialog>
  );
}

/** Says which field of a testset has the tags. */
export function TagsField({ testset }: { testset: Testset }) {
  const save = useChange('PATCH', '/testsets/:testsetId', {
    refreshes: ['/testsets/:testsetId', '/projects/:projectId/testsets'],
  });
  const { id: testsetId, tagsField = '' } = testset;
  const names = fieldsOf(testset)
    .filter(({ role }) => role === 'metadata')
    .map(({ name }) => name);
  return (
    <div className={styles.tagsField}>
      <Choice
        label="Field of tags"
        value={tagsField}
        hint="One of the saved fields with the role metadata. Its values are shown as tags, filtered by tag:, and changed for many testcases at once."
        disabled={save.isPending}
        onChange={({ target }) =>
          save.mutate({ params: { testsetId }, body: { tagsField: target.value || null } })
        }
      >
        <option value="">None</option>
        {[...new Set([...names, ...(tagsField ? [tagsField] : [])])].map((name) => (
          <option key={name} value={name}>
            {visible(name)}
          </option>
        ))}
      </Choice>
      {save.error && <Problem error={save.error} />}
    </div>
  );
}
