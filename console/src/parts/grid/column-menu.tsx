import { Button } from '../button.tsx';
import { Popover } from '../popover.tsx';
import type { Columns } from './columns.ts';
import styles from './grid.module.css';

/** Pixels of one press. */
const widthStep = 32;

/** Which columns are shown, in which order; everything that dragging does, without dragging. */
export function ColumnMenu<Item>({ columns }: { columns: Columns<Item> }) {
  const [, ...rest] = columns.all;
  return (
    <Popover label="Columns">
      <ul className={styles.menu}>
        {rest.map((column, index) => {
          const { id, name } = column;
          return (
            <li key={id}>
              <label>
                <input
                  type="checkbox"
                  checked={!columns.isHidden(id)}
                  onChange={({ target }) => columns.setHidden(id, !target.checked)}
                />
                {name}
              </label>
              <Button
                kind="quiet"
                aria-label={`Move ${name} to the left`}
                disabled={index === 0}
                onClick={() => columns.move(id, -1)}
              >
                ↑
              </Button>
              <Button
                kind="quiet"
                aria-label={`Move ${name} to the right`}
                disabled={index === rest.length - 1}
                onClick={() => columns.move(id, 1)}
              >
                ↓
              </Button>
              <Button
                kind="quiet"
                aria-label={`Make ${name} narrower`}
                onClick={() => columns.resize(id, columns.widthOf(column) - widthStep)}
              >
                −
              </Button>
              <Button
                kind="quiet"
                aria-label={`Make ${name} wider`}
                onClick={() => columns.resize(id, columns.widthOf(column) + widthStep)}
              >
                +
              </Button>
            </li>
          );
        })}
      </ul>
      <Button kind="quiet" onClick={columns.reset}>
        Reset
      </Button>
    </Popover>
  );
}
