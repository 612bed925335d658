import { parse } from '@huggingface/jinja';
import { checkBlocks } from './blocks.ts';
import { type Fault, isFault } from './fault.ts';
import { scan, type Token } from './lexer.ts';
import { templateLimits } from './limits.ts';

/** A fault of a template with its place: lines and columns from 1, columns in characters. */
export interface TemplateProblem {
  line: number;
  column: number;
  message: string;
}

/**
 * What keeps a prompt template from being used: the first fault of its Jinja, or nothing. Messages go on from the template's name
 * ("has a …"). Takes time in proportion to the template's length, and no more for hostile ones.
 */
export function checkTemplate(source: string): TemplateProblem[] {
  const fault = findFault(source);
  return fault ? [{ ...placeOf(source, fault.at), message: fault.message }] : [];
}

function findFault(source: string): Fault | undefined {
  if (source.length > templateLimits.charactersMax)
    return { at: 0, message: `must have at most ${templateLimits.charactersMax} characters` };
  const tokens = scan(source);
  return isFault(tokens) ? tokens : (checkBlocks(tokens) ?? checkGrammar(source, tokens));
}

/** The library's parser says what it misses but not where: the fault is at the token that it read last. */
function checkGrammar(source: string, tokens: Token[]): Fault | undefined {
  if (failureOf(tokens) === undefined) return undefined;
  let read = 0;
  const watched = new Proxy(tokens, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) read = Number(key);
      return Reflect.get(target, key);
    },
  });
  const failure = failureOf(watched);
  const token = tokens[read] ?? tokens.at(-1)!;
  return { at: token.at, message: `does not expect \`${source.slice(token.at, token.end)}\` here${reasonOf(failure)}` };
}

function failureOf(tokens: Token[]): unknown {
  try {
    parse(tokens as never);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The parser's own words, where they say more than that a token is of the wrong kind. */
function reasonOf(failure: unknown): string {
  const words = failure instanceof SyntaxError ? failure.message : '';
  return words === '' || words.startsWith('Unexpected') ? '' : `: ${words[0]!.toLowerCase()}${words.slice(1)}`;
}

function placeOf(source: string, at: number): { line: number; column: number } {
  const lines = source.slice(0, at).split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...lines.at(-1)!].length + 1 };
}
