import { writeJson } from '@assay/json/write';
import { ScrolledTable } from '../../parts/scrolled-table.tsx';
import { countOf, formatCount, visible } from '../../text/format.ts';
import { inOneLine, inShort } from '../../text/json.ts';
import type { Matching } from './match-answers.ts';
import styles from './new-run.module.css';

/** Rows that are shown of each kind. */
const shownMax = 50;
const shownCharacters = 200;

/** Which rows have a testcase, and which have none, before anything is made. */
export function CheckTable({
  matching,
  testcases,
  columns,
}: {
  matching: Matching;
  testcases: number;
  /** The columns of answers. */
  columns: string[];
}) {
  const { matched, unmatched } = matching;
  const unanswered = testcases - matched.length;
  return (
    <>
      <p role="status">
        <strong>
          {countOf(matched.length, 'row')} matched {wayInWords(matching)}
        </strong>
        {unmatched.length > 0 && ` · ${countOf(unmatched.length, 'row')} not matched`}
        {unanswered > 0 && ` · ${countOf(unanswered, 'testcase')} without an answer`}
      </p>
      {unmatched.length > 0 && <Unmatched unmatched={unmatched} />}
      {matched.length > 0 && <Matched matched={matched} columns={columns} />}
    </>
  );
}

function wayInWords({ way }: Matching): string {
  if (!way) return 'a testcase';
  const named = way.columns.map((name) => `“${visible(name)}”`).join(', ');
  switch (way.by) {
    case 'key':
      return `by their keys in ${named}`;
    case 'inputs':
      return `by the inputs in ${named}`;
    case 'order':
      return 'by their order: there are as many testcases';
  }
}

const Unmatched = ({ unmatched }: Pick<Matching, 'unmatched'>) => (
  <section className={styles.unmatched} aria-label="Rows that are not matched">
    <h2>Not matched: these rows are left out</h2>
    <ul>
      {unmatched.slice(0, shownMax).map(({ row, reason }) => (
        <li key={row.number}>
          Row {formatCount(row.number)}: {visible(reason)}
        </li>
      ))}
    </ul>
    {unmatched.length > shownMax && <p>And {formatCount(unmatched.length - shownMax)} others.</p>}
  </section>
);

const Matched = ({ matched, columns }: Pick<Matching, 'matched'> & { columns: string[] }) => (
  <ScrolledTable
    label="Rows that are matched"
    foot={
      matched.length > shownMax && (
        <p className={styles.hint}>
          The first {shownMax} of {formatCount(matched.length)} rows.
        </p>
      )
    }
  >
    <thead>
      <tr>
        <th>Row</th>
        <th>Testcase</th>
        {columns.map((column) => (
          <th key={column}>{visible(column)}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {matched.slice(0, shownMax).map(({ row, testcase }) => (
        <tr key={row.number}>
          <th scope="row">{formatCount(row.number)}</th>
          <td>{cut(inShort(testcase.inputs))}</td>
          {columns.map((column) => (
            <td key={column}>
              {row.values.has(column) ? cut(textOf(row.values.get(column))) : '–'}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </ScrolledTable>
);

const textOf = (value: unknown): string =>
  inOneLine(typeof value === 'string' ? value : writeJson(value));

const cut = (text: string): string =>
  text.length > shownCharacters ? `${text.slice(0, shownCharacters)} …` : text;
