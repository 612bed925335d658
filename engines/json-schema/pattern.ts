import { writtenOutSize } from '@assay/runtime/json/pattern-size';
import { RE2JS } from 're2js';
import { schemaLimits } from './limits.ts';

/** The methods that ajv needs of a regular expression. */
export interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Compiles a regular expression of a schema with RE2: time is linear in the text, so look-around
 * and back-references do not exist. Throws for patterns that RE2 cannot run. ajv finds compiled
 * patterns again by `toString()`, which therefore returns the source only.
 */
export function compilePattern(source: string): Pattern {
  const compiled = RE2JS.compile(translate(source));
  return { test: (text) => compiled.matcher(text).find(), toString: () => JSON.stringify(source) };
}

/**
 * How many instructions a pattern compiles to, or the reason why it cannot be used. One that is far
 * too large is not compiled.
 */
export function measurePattern(source: string): { instructions: number } | { refusal: string } {
  // The translation would make the letter k of it.
  if (namedReference.test(source)) return { refusal: 'invalid escape sequence: `\\k`' };
  try {
    const pattern = translate(source);
    if (writtenOutSize(pattern) > schemaLimits.patternInstructionsMax)
      return { refusal: 'its repetitions written out are too long' };
    return { instructions: RE2JS.compile(pattern).programSize() };
  } catch (error) {
    return { refusal: String((error as Error).message).replace(/^error parsing regexp: /, '') };
  }
}

const namedReference = /^(?:[^\\]|\\[^k])*\\k</s;

function translate(source: string): string {
  return RE2JS.translateRegExp(joinSurrogates(source));
}

// ECMA-262 reads `\ud83d\ude00` as one code point; RE2 knows only `\x{1F600}`.
function joinSurrogates(source: string): string {
  return source.replace(
    /\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|[\s\S])/g,
    (whole, high?: string, low?: string) => {
      if (high === undefined || low === undefined) return whole;
      const codePoint =
        (Number.parseInt(high, 16) - 0xd800) * 0x400 +
        (Number.parseInt(low, 16) - 0xdc00) +
        0x10000;
      return `\\u{${codePoint.toString(16)}}`;
    },
  );
}
