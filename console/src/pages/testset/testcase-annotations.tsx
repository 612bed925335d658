import { holdDeletion } from '../../api/held-deletions.ts';
import { useMembers } from '../../api/members.ts';
import { useChange, useReading } from '../../api/query.ts';
import annotationStyles from '../../parts/annotations/annotations.module.css';
import { CommentForm } from '../../parts/annotations/comment-form.tsx';
import { Said } from '../../parts/annotations/said.tsx';
import { Problem } from '../../parts/problem.tsx';
import { memberNames } from '../../text/names.ts';
import styles from './testset.module.css';

/** The annotations of a testcase, and a field for another one. */
export function TestcaseAnnotations({ testcaseId }: { testcaseId: string }) {
  const path = '/testcases/:testcaseId/annotations';
  const ofOne = '/testcases/:testcaseId/annotations/:testcaseAnnotationId';
  const read = useReading(path, { params: { testcaseId } });
  const members = useMembers();
  const add = useChange('POST', path, { refreshes: [path] });
  const edit = useChange('PATCH', ofOne, { refreshes: [path] });
  const nameOf = memberNames(members.data?.data);
  const fault = read.error ?? add.error ?? edit.error;
  return (
    <section aria-label="Annotations" className={styles.annotations}>
      <h3>Annotations</h3>
      <ul className={annotationStyles.list}>
        {read.data?.data.map((annotation) => (
          <li key={annotation.id}>
            <Said
              said={annotation}
              nameOf={nameOf}
              changes={{
                isBusy: edit.isPending,
                error: edit.error,
                edit: (testcaseAnnotationId, comment, done) =>
                  edit.mutate(
                    { params: { testcaseId, testcaseAnnotationId }, body: { comment } },
                    { onSuccess: done },
                  ),
                remove: (id) =>
                  holdDeletion(ofOne, {
                    id,
                    thing: 'The annotation',
                    params: { testcaseId, testcaseAnnotationId: id },
                    refreshes: [path],
                  }),
              }}
            />
          </li>
        ))}
      </ul>
      <CommentForm
        label="Comment on this testcase"
        submit="Comment"
        isBusy={add.isPending}
        onSubmit={(comment, done) =>
          add.mutate({ params: { testcaseId }, body: { comment } }, { onSuccess: done })
        }
      />
      {fault && <Problem error={fault} />}
    </section>
  );
}
