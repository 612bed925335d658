import type { ReactNode } from 'react';
import { countOf, visible } from '../../text/format.ts';
import { ColumnRoles, type Roles } from './column-roles.tsx';
import type { Overview } from './overview.ts';

/** The columns of a table: their roles, and the runs that answers become. */
export function TablePlan({
  overview: { columns, hasKeys },
  roles,
  setRoles,
  columnOfKey,
  setColumnOfKey,
  answers,
  children,
}: {
  overview: Overview;
  roles: Roles;
  setRoles: (roles: Roles) => void;
  columnOfKey: string;
  setColumnOfKey: (column: string) => void;
  /** The columns with the role `output`. */
  answers: string[];
  children: ReactNode;
}) {
  return (
    <>
      <ColumnRoles
        columns={columns}
        hasKeys={hasKeys}
        roles={roles}
        setRoles={setRoles}
        columnOfKey={columnOfKey}
        setColumnOfKey={setColumnOfKey}
      />
      <p role="status">
        {answers.length === 0
          ? 'A column with the role output has answers of a system: it becomes a run.'
          : `${countOf(answers.length, 'run')} with these answers: ${answers.map(visible).join(', ')}.`}
      </p>
      {children}
    </>
  );
}
