import { parseByValue } from '@assay/json/parse';
import { pointerSegments } from '@assay/json/pointer';
import { isObject } from '@assay/json/value';
import type { Draft } from './draft.ts';

/** The first output that a draft reads by its name; where it reads none, a usual one. */
export function outputNameIn({ scorer, promptTemplate, source, options }: Draft): string {
  const text = scorer === 'judge' ? promptTemplate : scorer === 'code' ? source : '';
  const named =
    scorer === 'builtin'
      ? typeof options.output === 'string' && pointerSegments(options.output)[0]
      : /\boutputs\.([A-Za-z_]\w*)/.exec(text)?.[1];
  return named || 'answer';
}

/** An object in JSON is the outputs themselves; any other text is one of them. */
export function outputsOf(answer: string, outputName: string): Record<string, unknown> {
  if (answer.trimStart().startsWith('{'))
    try {
      const value = parseByValue(answer);
      if (isObject(value)) return value;
    } catch {
      // A text that only begins as an object does.
    }
  return { [outputName]: answer };
}
