import { memberText, withMember } from '@assay/json/members';
import { useRef, useState } from 'react';
import { refresh } from '../../api/query.ts';
import { readData, replaceData } from '../../api/testcases.ts';
import type { Field } from './fields.ts';

/** Characters of a value that can be edited in a cell. */
const editedCharactersMax = 256 * 1024;

/** A cell that is being edited. */
export interface CellEdit {
  testcaseId: string;
  field: Field;
  /** The whole data of the testcase, as it was when the editing began. */
  data: string;
  /** As it was, and as it is typed: text, or JSON where the value is of another type. */
  before: string;
  draft: string;
  isJson: boolean;
  problem?: string;
  isSaving: boolean;
}

export type CellEditing = ReturnType<typeof useCellEdit>;

/** The one cell that is edited in place. Its draft stays until it is stored or taken back. */
export function useCellEdit() {
  const [edit, setEdit] = useState<CellEdit>();
  const [error, setError] = useState<Error>();

  /** The cell that is being opened: opened twice, it would lose what was typed between. */
  const opening = useRef<string>(undefined);

  const isAt = (testcaseId: string, name: string): boolean =>
    edit?.testcaseId === testcaseId && edit.field.name === name;

  async function begin(testcaseId: string, field: Field): Promise<void> {
    const cell = `${testcaseId} ${field.name}`;
    if (opening.current === cell || isAt(testcaseId, field.name)) return;
    opening.current = cell;
    try {
      setError(undefined);
      const data = await readData(testcaseId);
      if (opening.current !== cell) return;
      const json = memberText(data, field.name);
      const isJson = isEditedAsJson(json, field);
      const before = json === undefined ? '' : textOf(json, isJson);
      if (before.length > editedCharactersMax)
        throw new Error('The value is too long to be edited here: replace it by the API.');
      setEdit({ testcaseId, field, data, before, draft: before, isJson, isSaving: false });
    } catch (failure) {
      setError(failure as Error);
    } finally {
      if (opening.current === cell) opening.current = undefined;
    }
  }

  /** Stores the draft. Returns whether the cell is done with. */
  async function save(): Promise<boolean> {
    if (!edit) return true;
    const { testcaseId, field, data, before, draft, isJson } = edit;
    if (draft === before) {
      setEdit(undefined);
      return true;
    }
    const value = isJson ? draft.trim() || undefined : JSON.stringify(draft);
    try {
      if (isJson && value !== undefined) JSON.parse(value);
    } catch (failure) {
      setEdit({ ...edit, problem: `This is no JSON: ${(failure as Error).message}.` });
      return false;
    }
    const { problem: _problem, ...begun } = edit;
    setEdit({ ...begun, isSaving: true });
    try {
      await replaceData(testcaseId, withMember(data, field.name, value));
      await refresh(['/testsets/:testsetId/testcases', '/testsets/:testsetId/changes']);
      setEdit(undefined);
      return true;
    } catch (failure) {
      setEdit({ ...begun, isSaving: false, problem: (failure as Error).message });
      return false;
    }
  }

  return {
    edit,
    error,
    begin,
    save,
    type: (draft: string) => setEdit((now) => now && { ...now, draft }),
    cancel: () => setEdit(undefined),
    isAt,
  };
}

/** A text is edited as text, and so is nothing where the field is for text. */
function isEditedAsJson(json: string | undefined, { types }: Field): boolean {
  if (json !== undefined)
    return !json.startsWith('"') && !(types.length === 1 && types[0] === 'string');
  return types.length > 0 && !types.includes('string');
}

const textOf = (json: string, isJson: boolean): string =>
  isJson || !json.startsWith('"') ? json : (JSON.parse(json) as string);
