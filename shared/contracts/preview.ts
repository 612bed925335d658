import { z } from 'zod';
import { jsonPointer, jsonPointerCharactersMax, jsonPointerForm } from './fields.ts';

/** Characters of a payload that a preview has at most, and pointers that a request may name. */
export const previewCharactersMax = 2000;
const pointersMax = 10;

/** The beginning of a payload, or of a value in it, in place of the whole. */
export const preview = z
  .object({
    text: z.string().meta({ description: 'The JSON text; of a string, its characters.' }),
    bytes: z.int().min(0).meta({ description: 'Bytes of the whole, as JSON.' }),
    isCut: z.boolean().meta({ description: 'Whether there is more of it.' }),
  })
  .meta({
    id: 'PayloadPreview',
    examples: [{ text: '{"question":"Where', bytes: 33, isCut: true }],
  });
export type Preview = z.infer<typeof preview>;

/** The previews of the values that `fields` names; without those that are not there. */
export const previewFields = z.record(z.string(), preview).optional().meta({
  description:
    'With `fields`: a preview of each value that is there. Payloads over 256 KiB are not looked into.',
});

const pointer = jsonPointer('/outputs/answer');

/** The parameters by which a list shows the beginnings of payloads in place of the whole. */
export const previewQuery = {
  preview: z
    .string()
    .regex(/^[0-9]{1,4}$/, `must be an integer from 0 to ${previewCharactersMax}`)
    .transform(Number)
    .refine(
      (value) => value <= previewCharactersMax,
      `must be an integer from 0 to ${previewCharactersMax}`,
    )
    .optional()
    .meta({
      description:
        'Each payload becomes `{ text, bytes, isCut }`: its beginning, of so many characters.',
      override: { type: 'integer', minimum: 0, maximum: previewCharactersMax },
    }),
  fields: z
    .union([pointer.transform((value) => [value]), z.array(pointer).max(pointersMax)])
    .optional()
    .meta({
      description:
        'JSON Pointers into the item, such as `/outputs/answer`, repeatable: with `preview`, the values there come under `fields`.',
      override: {
        type: 'array',
        items: {
          type: 'string',
          maxLength: jsonPointerCharactersMax,
          pattern: jsonPointerForm.source,
        },
        maxItems: pointersMax,
      },
    }),
};

/** What a request asks for of payloads; undefined where it wants them whole. */
export interface PreviewRequest {
  characters: number;
  pointers: string[];
}

/** Returns what the query of a request asks for. */
export const previewRequest = ({
  preview: characters,
  fields = [],
}: {
  preview?: number | undefined;
  fields?: string[] | undefined;
}): PreviewRequest | undefined =>
  characters === undefined ? undefined : { characters, pointers: fields };
