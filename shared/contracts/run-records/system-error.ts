import { z } from 'zod';
import { errorMessageBytesMax, errorNameCharactersMax, errorStackBytesMax } from '../cut-text.ts';
import { text } from '../fields.ts';
import { notedPathCharactersMax, recordNotesMax } from '../record-notes.ts';

/** The name of an error that has none, where errors are counted by name. */
export const unnamedError = 'Error';

const encoder = new TextEncoder();

/** A text of at most so many bytes of UTF-8. */
const textOfBytes = (bytesMax: number) =>
  z
    .string()
    .refine(
      (value) => value.length <= bytesMax && encoder.encode(value).length <= bytesMax,
      `must have at most ${bytesMax} bytes`,
    )
    .refine((value) => value.isWellFormed(), 'must not contain half of a surrogate pair')
    .meta({ override: { type: 'string', maxLength: bytesMax } });

/**
 * Why the system under test gave no answer: an exception, or a time-out (contract section 5, "A
 * system that failed is a result").
 */
export const systemError = z
  .object({
    name: text(errorNameCharactersMax, 1)
      .optional()
      .meta({ description: 'The kind of the error, such as `TimeoutError`.' }),
    message: textOfBytes(errorMessageBytesMax).meta({
      description: `What the error says: at most ${errorMessageBytesMax} bytes.`,
    }),
    stack: textOfBytes(errorStackBytesMax)
      .optional()
      .meta({ description: `Where it happened: at most ${errorStackBytesMax} bytes.` }),
    status: z.int().min(100).max(599).optional().meta({
      description:
        "The HTTP status that the system's provider answered with. 429, 503 and 529 are a provider's limits.",
    }),
  })
  .meta({
    id: 'SystemError',
    description: 'Why the system under test gave no answer.',
    examples: [{ name: 'ConnectionError', message: 'model down' }],
  });
export type SystemError = z.infer<typeof systemError>;

/** A note on a record: of whoever made it, or of the service. */
const recordNote = z
  .object({
    code: text(64, 1).meta({
      description:
        '`not_converted`: a part of an answer could not be stored as it was. `holds_doubles`: a tool rounded a number.',
    }),
    path: z
      .string()
      .max(notedPathCharactersMax)
      .regex(/^(\/|$)/, 'must be a JSON Pointer, such as /outputs/score')
      .optional()
      .meta({
        description: 'What it is about: a JSON Pointer into the record, such as `/outputs/score`.',
      }),
    message: text(2000, 1).meta({ description: 'A sentence for people.' }),
  })
  .meta({ id: 'RecordNote' });
export type RecordNote = z.infer<typeof recordNote>;

export const recordNotes = () => z.array(recordNote).max(recordNotesMax);

/** Calls of the system for one record: those that a provider refused by its limits, and the last. */
export const systemAttempts = () => z.int().min(1).max(1000);
