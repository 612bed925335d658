import { isObject } from '@assay/json/value';
import { z } from 'zod';

/**
 * Text a person wrote, 0..`charactersMax` characters; a lone surrogate is refused because UTF-8
 * cannot keep it. An emoji is one character, as JSON Schema counts, though two of JavaScript's.
 */
export const text = (charactersMax: number, charactersMin = 0) =>
  z
    .string()
    .min(charactersMin)
    .refine(
      (value) => !isLonger(value, charactersMax),
      `must have at most ${charactersMax} characters`,
    )
    .refine((value) => value.isWellFormed(), 'must not contain half of a surrogate pair')
    .meta({ override: { type: 'string', minLength: charactersMin, maxLength: charactersMax } });

/** The name that no member may have which a client chooses: JavaScript has another use for it. */
const refusedName = '__proto__';

/** The name of a member of `byName`, 1 to `charactersMax` characters. */
export const memberName = (charactersMax: number) =>
  text(charactersMax, 1).meta({ override: documentedName(charactersMax) });

/**
 * The same, where it becomes a name in a document of the database: MongoDB takes no name with
 * U+0000.
 */
export const storedName = (charactersMax: number) =>
  text(charactersMax, 1)
    .refine((value) => !value.includes('\u0000'), 'must not have the character U+0000')
    .meta({ override: { ...documentedName(charactersMax), pattern: '^[^\\u0000]*$' } });

const documentedName = (charactersMax: number) => ({
  type: 'string' as const,
  minLength: 1,
  maxLength: charactersMax,
  not: { const: refusedName },
});

/**
 * Values by names that clients choose. `z.record` leaves out a member that is called `__proto__`,
 * and with it what was asked for: here the name is refused.
 */
export const byName = <Value extends z.ZodType>(
  name: z.ZodType<string>,
  value: Value,
): z.ZodType<Record<string, z.output<Value>>, Record<string, z.input<Value>>> =>
  z.preprocess(
    (sent, context) => {
      if (isObject(sent) && Object.hasOwn(sent, refusedName))
        context.addIssue({
          code: 'custom',
          message: `must not be called ${refusedName}`,
          path: [refusedName],
          input: sent,
        });
      return sent;
    },
    z.record(name, value),
  ) as never;

const isLonger = (value: string, charactersMax: number): boolean =>
  value.length > charactersMax &&
  (value.length > 2 * charactersMax || [...value].length > charactersMax);

/** The name of a resource: 1..256 characters. */
export const name = () => text(256, 1);

/** A resource's description: up to 10,000 characters. */
export const description = () => text(10_000);

/** Any JSON object whose meaning is the client's; inherited names are ordinary keys of it. */
export const jsonObject = <Value = unknown>(about: string) =>
  z
    .custom<Record<string, Value>>(isObject)
    .meta({ description: about, override: { type: 'object', additionalProperties: true } });

/**
 * An id that a service made (UUIDv7). In a body, one that is of another form is like one that does
 * not exist.
 */
export const id = () => z.uuid();

export const referenceCharactersMax = 256;

/**
 * A reference to a resource in a body: any string, since the domain answers 400, with the field's
 * path, if the resource does not exist.
 */
export const reference = () => z.string().max(referenceCharactersMax);

/** References in the query string: the parameter is given once for each, at most `max` times. */
export const repeatedReference = (max: number, about: string, problem?: { error: string }) =>
  z
    .union([reference().transform((id) => [id]), z.array(reference()).max(max)], problem)
    .optional()
    .meta({
      description: about,
      override: {
        type: 'array',
        items: { type: 'string', maxLength: referenceCharactersMax },
        maxItems: max,
      },
    });

export const jsonPointerForm = /^(?:\/(?:[^~/]|~[01])*)+$/;
export const jsonPointerCharactersMax = 1000;

/** A JSON Pointer (RFC 6901) to a part of a value. */
export const jsonPointer = (example: string) =>
  z
    .string()
    .max(jsonPointerCharactersMax)
    .regex(jsonPointerForm, `must be a JSON Pointer, such as ${example}`);

/** An instant as ISO 8601 in UTC with milliseconds, for example 2026-01-31T12:00:00.000Z. */
export const timestamp = () => z.iso.datetime();

/**
 * An instant that a client sends: RFC 3339 with any offset. It is read as UTC with milliseconds, so
 * that whoever compares instants compares texts of one form.
 */
export const sentInstant = () =>
  z.iso
    .datetime({
      offset: true,
      error: 'must be a time such as 2026-03-01T00:00:00Z; in an address, + is written as %2B',
    })
    .transform((text) => new Date(text).toISOString())
    .meta({ override: { type: 'string', format: 'date-time' } });

/** An instant in the query string, which may be left out. */
export const instantParameter = (about: string) =>
  sentInstant()
    .optional()
    .meta({ description: about, override: { type: 'string', format: 'date-time' } });

/** A number as a query string has it. */
export const decimal = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number in the query string, which may be left out. */
export const numberParameter = (about: string) =>
  z
    .string()
    .max(32)
    .refine((text) => decimal.test(text), 'must be a number, such as 0.5')
    .transform(Number)
    .optional()
    .meta({ description: about, override: { type: 'number' } });

/** A whole number in the query string. */
export const integerParameter = ({
  min,
  max,
  default: byDefault,
  about,
}: {
  min: number;
  max: number;
  default: number;
  about: string;
}) =>
  z
    .string()
    .regex(/^[0-9]{1,10}$/, `must be an integer from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be an integer from ${min} to ${max}`)
    .default(byDefault)
    .meta({
      description: about,
      override: { type: 'integer', minimum: min, maximum: max, default: byDefault },
    });

const flag = z
  .enum(['true', '1', 'false', '0'])
  .transform((value) => value === 'true' || value === '1');

/** A yes or no in the query string; undefined unless it is given. */
export const flagParameter = (about: string) =>
  flag.optional().meta({ description: about, override: { type: 'boolean' } });

/** Whether a browser is to store the bytes of a reply, in place of showing them. */
export const downloadParameter = () =>
  flag.default(false).meta({
    description: 'A browser stores the bytes as a file in place of showing them.',
    override: { type: 'boolean', default: false },
  });

/**
 * Writes a whole number for people: 5,000. Contracts are built in every process, and the first call
 * of `toLocaleString` takes as long as a tenth of them, to load the rules of languages.
 */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** How many there are of something. */
export const count = () => z.int().min(0);

/** The reply to a deletion. */
export const success = z
  .object({ success: z.literal(true).meta({ description: 'It is done.' }) })
  .meta({ id: 'Deleted' });

/** The reply to the deletion of a tag, an assignment or a score: how many existed. */
export const deletedCount = z
  .object({
    deleted: z.union([z.literal(0), z.literal(1)]).meta({
      description: 'How many there were.',
      override: { type: 'integer', minimum: 0, maximum: 1 },
    }),
  })
  .meta({ id: 'DeletedCount' });
