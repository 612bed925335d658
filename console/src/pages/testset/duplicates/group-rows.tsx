import type { ReplyOf } from '@assay/client/operations';
import { Button } from '../../../parts/button.tsx';
import { visible } from '../../../text/format.ts';
import { inShort } from '../../../text/json.ts';
import styles from '../testset.module.css';

type Group = ReplyOf<'GET', '/testsets/:testsetId/duplicates'>['groups'][number];
export type Duplicate = Group['testcases'][number];

/** The testcases that have the same inputs, one below the other. */
export const GroupRows = ({
  group: { inputs, count, testcases },
  open,
  remove,
}: {
  group: Group;
  open: (testcase: Duplicate) => void;
  remove: (testcase: Duplicate) => void;
}) => (
  <tbody>
    {testcases.map((testcase, index) => (
      <tr key={testcase.id}>
        {index === 0 && (
          <>
            <th scope="rowgroup" rowSpan={testcases.length}>
              {visible(inShort(inputs))}
            </th>
            <td rowSpan={testcases.length}>
              {count}
              {count > testcases.length && ` (the oldest ${testcases.length} are shown)`}
            </td>
          </>
        )}
        <td>{visible(inShort(testcase.expected))}</td>
        <td>
          <span className={styles.marks}>
            <Button kind="quiet" onClick={() => open(testcase)}>
              <code>{'{ }'}</code>
              <span className="for-screen-readers">Edit as JSON</span>
            </Button>
            <Button kind="quiet" onClick={() => remove(testcase)}>
              Delete
            </Button>
          </span>
        </td>
      </tr>
    ))}
  </tbody>
);
