import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '../../api/query.ts';
import { createFrom, newKey } from '../../api/testcases.ts';
import { cellJson } from '../../files/columns.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { visible } from '../../text/format.ts';
import { parseObject } from '../../text/json.ts';
import { roles, type Field as SchemaField, type Testset } from './fields.ts';

/** One testcase by hand: a field for each of the schema, or JSON where it has none. */
export function NewTestcase({
  testset,
  fields,
  onClose,
}: {
  testset: Testset;
  fields: SchemaField[];
  onClose: () => void;
}) {
  const [key] = useState(newKey);
  const [problem, setProblem] = useState<string>();
  const create = useMutation({
    mutationFn: (json: string) => createFrom(testset.id, [json], key),
    onSuccess: () => refresh(['/testsets/:testsetId/testcases', '/testsets/:testsetId/changes']),
  });
  return (
    <FormDialog
      title="New testcase"
      button="Create"
      change={create}
      onClose={onClose}
      submit={(form) => {
        const json =
          fields.length > 0
            ? objectOf(fields, (index) => `${form.get(`${index}`)}`)
            : `${form.get('data')}`;
        const parsed = parseObject(json);
        setProblem(parsed instanceof Error ? parsed.message : undefined);
        if (!(parsed instanceof Error)) create.mutate(json, { onSuccess: onClose });
      }}
    >
      {fields.map(({ name, role, types, isRequired, description }, index) => (
        <Field
          key={name}
          label={`${visible(name)} (${roles[role]}${isRequired ? ', required' : ''})`}
          name={`${index}`}
          rows={2}
          hint={[visible(description), typesHint(types)].filter(Boolean).join(' ')}
        />
      ))}
      {fields.length === 0 && (
        <Field label="Data (JSON)" name="data" rows={10} defaultValue="{}" problem={problem} />
      )}
    </FormDialog>
  );
}

const typesHint = (types: string[]): string =>
  types.length === 0 || types.includes('string') ? '' : `JSON: ${types.join(' or ')}.`;

/** The data of the fields that are not left empty. */
function objectOf(fields: SchemaField[], typed: (index: number) => string): string {
  const members = fields.flatMap(({ name, types }, index) => {
    const text = typed(index);
    return text === '' ? [] : [`${JSON.stringify(name)}:${cellJson(text, types)}`];
  });
  return `{${members.join(',')}}`;
}
