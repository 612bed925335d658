import { cutError } from '@assay/contracts/cut-text';
import type { SystemErrorFacts } from './entity.ts';
import { textAt } from './reading/json-values.ts';

/** Reads an error in the words of a tool: a text, or an object with a message and the kind of it. */
export function systemErrorOf(said: unknown): SystemErrorFacts {
  const name = textAt(said, 'name') ?? textAt(said, 'type') ?? textAt(said, 'code');
  const message =
    textAt(said, 'message') ?? (typeof said === 'string' ? said : JSON.stringify(said));
  return cutError({ name, message });
}
