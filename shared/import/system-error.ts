import { cutError } from '@assay/contracts/cut-text';
import type { SystemErrorFacts } from './entity.ts';
import { textAt } from './reading/json-values.ts';

/** An exception as Python shows it: `ConnectionError('down')`. */
const shown = /^([A-Za-z_][\w.]*(?:Error|Exception|Timeout|Interrupt))\(/;
const traceback = 'Traceback (most recent call last)';

/**
 * Reads an error in the words of a tool: a text, which a traceback may follow, or an object with a
 * message, the kind of it and its traceback.
 */
export function systemErrorOf(said: unknown): SystemErrorFacts {
  const stack = textAt(said, 'traceback') ?? textAt(said, 'stack');
  const whole =
    textAt(said, 'message') ??
    lastLineOf(stack) ??
    (typeof said === 'string' ? said : JSON.stringify(said));
  const end = stack === undefined ? whole.indexOf(traceback) : -1;
  const message = end > 0 ? whole.slice(0, end).trimEnd() : whole;
  const name =
    textAt(said, 'name') ??
    textAt(said, 'type') ??
    textAt(said, 'code') ??
    shown.exec(message)?.[1];
  return cutError({ name, message, stack: end > 0 ? whole.slice(end) : stack });
}

const lastLineOf = (text: string | undefined): string | undefined =>
  text?.trimEnd().split('\n').at(-1);
