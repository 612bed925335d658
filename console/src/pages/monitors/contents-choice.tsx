import type { ReactNode } from 'react';
import { Choice } from '../../parts/field.tsx';

/** Which input and output of a trace its record has: `select` in the form. */
export const ContentsChoice = ({
  label,
  chosen,
  children,
}: {
  label: string;
  chosen?: string;
  /** Other places than these two. */
  children?: ReactNode;
}) => (
  <Choice label={label} name="select" defaultValue={chosen}>
    <option value="trace">input and output of the whole trace</option>
    <option value="last-llm">those of its last call of a model</option>
    {children}
  </Choice>
);
