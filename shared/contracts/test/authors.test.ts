import { authorFields, lineSchemas } from '@assay/contracts/project-file';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

/** Fields that name people who made nothing: a member, and whose task something is. */
const notOfAuthors = ['member: userId', 'record: assignees.assigneeUserId'];

/** The paths of the fields of a schema; those of a list's items are the list's. */
function fieldsOf(schema: z.core.$ZodType, path: string[] = []): string[] {
  if (schema instanceof z.ZodObject)
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, member]) =>
      fieldsOf(member, [...path, name]),
    );
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element, path);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return fieldsOf(schema.unwrap(), path);
  if (schema instanceof z.ZodDefault) return fieldsOf(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.in, path);
  if (schema instanceof z.ZodUnion)
    return [...new Set(schema.options.flatMap((option) => fieldsOf(option, path)))];
  return [path.join('.')];
}

const namesPerson = (field: string): boolean => /user_?ids?$/i.test(field);

describe('the fields of authors', () => {
  const declared = Object.entries(authorFields).flatMap(([kind, fields]) =>
    fields.map((field) => `${kind}: ${field}`),
  );

  test('are all fields of a project’s file that name a person, but for those that are listed', () => {
    const found = Object.entries(lineSchemas).flatMap(([kind, schema]) =>
      fieldsOf(schema)
        .filter(namesPerson)
        .map((field) => `${kind}: ${field}`),
    );
    expect([...found].sort()).toEqual([...declared, ...notOfAuthors].sort());
  });

  test('are found however deep they stand, and in lists, unions and optional members', () => {
    const at = z.object({ byUserId: z.string() });
    const schema = z.object({
      one: z.array(z.object({ userId: z.string().nullable() })).optional(),
      two: z.union([at, z.object({ other: z.literal(1) })]),
    });
    expect(fieldsOf(schema).filter(namesPerson)).toEqual(['one.userId', 'two.byUserId']);
  });
});
