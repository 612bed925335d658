import { JsonNumber } from '@assay/json/value';
import type { RenderState } from './render-state.ts';
import { plain } from './rendered.ts';
import {
  type Fields,
  fieldOf,
  isFields,
  isOfKind,
  nameOf,
  sentence,
  type Value,
} from './values.ts';

export interface JsonForm {
  /** Spaces a level; without it, all is on one line. */
  indent?: number;
  sortKeys?: boolean;
  ensureAscii?: boolean;
  /** Between items, and after names. */
  separators?: [string, string];
}

/**
 * A value as JSON in the form of Python's `json.dumps`, which is the one that models have seen
 * most: `{"a": [1, 2]}`.
 */
export function jsonText(value: Value, form: JsonForm, state: RenderState): string {
  const indent = ' '.repeat(Math.max(0, Math.min(form.indent ?? 0, indentMax)));
  const [comma, colon] = form.separators ?? [indent === '' ? ', ' : ',', ': '];
  const pieces: string[] = [];
  const put = (piece: string) => {
    state.characters(piece.length);
    pieces.push(piece);
  };
  const putText = (text: string) => {
    // Its JSON is longer, but not by so much that it would matter before it is counted.
    state.characters(text.length);
    const written = JSON.stringify(text);
    put(
      form.ensureAscii
        ? written.replace(
            /[\x7f-\uffff]/g,
            (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
          )
        : written,
    );
  };
  const putItems = <T>(
    items: readonly T[],
    [open, close]: string,
    depth: number,
    putItem: (item: T) => void,
  ) => {
    const line = (level: number) => (indent === '' ? '' : `\n${indent.repeat(level)}`);
    put(open!);
    for (const [index, item] of items.entries()) {
      state.step();
      put(`${index === 0 ? '' : comma}${line(depth + 1)}`);
      putItem(item);
    }
    put(`${items.length === 0 ? '' : line(depth)}${close}`);
  };
  const putValue = (given: Value, depth: number): void => {
    const part = plain(given, state);
    if (depth > state.limits.valueDepthMax)
      state.fail(
        `A value is nested deeper than ${state.limits.valueDepthMax} levels, too deep to become JSON.`,
      );
    if (typeof part === 'string') putText(part);
    else if (part instanceof JsonNumber) put(part.text);
    else if (Array.isArray(part)) putItems(part, '[]', depth, (item) => putValue(item, depth + 1));
    else if (typeof part === 'object' && part !== null) putFields(fieldsIn(part, state), depth);
    else put(JSON.stringify(part ?? null));
  };
  const putFields = (fields: Fields, depth: number) => {
    const names = form.sortKeys ? Object.keys(fields).sort() : Object.keys(fields);
    putItems(names, '{}', depth, (name) => {
      putText(name);
      put(colon);
      putValue(fieldOf(fields, name), depth + 1);
    });
  };
  putValue(value, 0);
  return pieces.join('');
}

const indentMax = 16;

function fieldsIn(value: Value, state: RenderState): Fields {
  if (isFields(value)) return value;
  if (!isOfKind(value, 'namespace'))
    return state.fail(`${sentence(nameOf(value))} cannot become JSON.`);
  if (value.isData) state.readsRecord = true;
  return Object.fromEntries(value.fields) as Fields;
}
