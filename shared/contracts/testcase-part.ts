import { escapeSegment } from '@assay/json/pointer';
import { isObject } from '@assay/json/value';
import { z } from 'zod';
import type { Issue } from './failure.ts';
import { grouped, jsonPointerCharactersMax, jsonPointerForm, text } from './fields.ts';
import { payload } from './payload.ts';

export const keyCharactersMax = 255;

/** A client's own name of a testcase, unique in its testset. */
export const testcaseKey = text(keyCharactersMax, 1);

export const whereMembersMax = 10;
export const whereBytesMax = 4096;
/** A field of a testcase that `where` looks into has at most so many bytes. */
export const whereFieldBytesMax = 64 * 1024;

export const partKeysMax = 1000;
const partKeysCharactersMax = 64 * 1024;

const whereInWords = `JSON Pointers into \`jsonData\`, each with a value: the testcases whose field is equal to it by value, or is a list with an element that is; all members hold. At most ${whereMembersMax} members and ${grouped(whereBytesMax)} bytes; a field of more than ${whereFieldBytesMax / 1024} KiB is equal to nothing.`;

/** The testcases of a testset by their data, in a body. */
export const where = () => payload(whereInWords, { bytesMax: whereBytesMax });

/** The same in a query, as JSON text. */
export const whereParameter = () =>
  text(whereBytesMax, 2)
    .superRefine((json, context) => {
      for (const { path, message } of whereIssues(json))
        context.addIssue({
          code: 'custom',
          message: path === '' ? message : `must be right at ${path}, which ${message}`,
        });
    })
    .meta({
      description: `As JSON text, such as \`{"/lang":"de"}\`: ${whereInWords}`,
      override: { type: 'string', minLength: 2, maxLength: whereBytesMax },
    });

/** Testcases of a testset by their keys. */
export const partKeys = () =>
  z
    .array(testcaseKey)
    .min(1)
    .max(partKeysMax)
    .refine(
      (keys) => keys.reduce((sum, key) => sum + key.length, 0) <= partKeysCharactersMax,
      `must have at most ${grouped(partKeysCharactersMax)} characters together`,
    );

/** What is wrong with a `where`, with its places in it. */
export function whereIssues(json: string): Issue[] {
  const whole = (message: string): Issue[] => [{ path: '', message }];
  const members = parsed(json);
  if (!isObject(members)) return whole('must be a JSON object');
  const pointers = Object.keys(members);
  if (pointers.length === 0) return whole('must have a member, such as "/lang": "de"');
  if (pointers.length > whereMembersMax)
    return whole(`must have at most ${whereMembersMax} members`);
  return pointers.flatMap((pointer) =>
    pointer.length <= jsonPointerCharactersMax && jsonPointerForm.test(pointer)
      ? []
      : [{ path: `/${escapeSegment(pointer)}`, message: 'must be a JSON Pointer, such as /lang' }],
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
