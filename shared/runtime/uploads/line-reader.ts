import { invalidAt } from '@assay/contracts/failure';
import type { z } from 'zod';
import { createEntryParser } from './parse-entry.ts';
import { readLines } from './read-lines.ts';

interface LineReaderOptions<Schemas> {
  /** The schema of each kind of line. */
  schemas: Schemas;
  /** Reads the kind of a line from its first bytes. */
  kindOf: (line: Uint8Array) => string | undefined;
  bytesMax: number;
  depthMax: number;
}

/** Creates a reader of NDJSON whose lines are of several kinds: the values, one after the other. */
export function createLineReader<Schemas extends Record<string, z.ZodType>>({
  schemas,
  kindOf,
  bytesMax,
  depthMax,
}: LineReaderOptions<Schemas>): (
  stream: AsyncIterable<Uint8Array>,
) => AsyncGenerator<z.output<Schemas[keyof Schemas]>> {
  const parsers = new Map(
    Object.entries(schemas).map(([kind, schema]) => [kind, createEntryParser(schema, depthMax)]),
  );
  return async function* read(stream) {
    for await (const line of readLines(stream, bytesMax)) {
      const parse = parsers.get(kindOf(line) ?? '');
      if (!parse) throw invalidAt('/kind', `must be one of ${[...parsers.keys()].join(', ')}`);
      yield (await parse(line)) as z.output<Schemas[keyof Schemas]>;
    }
  };
}
