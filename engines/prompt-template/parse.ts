import { parse } from '@huggingface/jinja';
import { checkBlocks } from './blocks.ts';
import { type Fault, isFault } from './fault.ts';
import { scan, type Token } from './lexer.ts';
import { templateLimits } from './limits.ts';
import { reservedWords, type Statement, treeOf } from './tree.ts';

/** The tree of a template, or the first fault of its grammar. */
export function parseTemplate(source: string): Statement[] | Fault {
  if (source.length > templateLimits.charactersMax)
    return { at: 0, message: `must have at most ${templateLimits.charactersMax} characters` };
  const tokens = scan(source);
  return isFault(tokens)
    ? tokens
    : (checkBlocks(tokens) ?? checkWords(tokens) ?? checkGrammar(source, tokens) ?? treeOf(tokens));
}

/** The library takes `{{ if }}` for a variable of that name. */
function checkWords(tokens: Token[]): Fault | undefined {
  const token = tokens.find(
    (word, index) => word.value !== 'not' && isReserved(word) && expectsValue(tokens, index),
  );
  return token && { at: token.at, message: `does not expect \`${token.value}\` here` };
}

const isReserved = ({ type, value }: Token): boolean =>
  type === 'Identifier' && reservedWords.has(value);

const closings = new Set([
  'Identifier',
  'NumericLiteral',
  'StringLiteral',
  'CloseParen',
  'CloseSquareBracket',
  'CloseCurlyBracket',
]);

/**
 * Whether a name or a value must come at this token. After a dot, every word is the name of a
 * field.
 */
function expectsValue(tokens: Token[], index: number): boolean {
  const before = tokens[index - 1]!;
  if (before.type === 'OpenStatement' || before.type === 'Dot') return false;
  if (tokens[index - 2]?.type === 'OpenStatement') return true;
  if (before.value === 'not' && isReserved(before))
    return tokens[index]!.value !== 'in' || expectsValue(tokens, index - 1);
  return !closings.has(before.type) || (isReserved(before) && tokens[index - 2]?.type !== 'Dot');
}

/**
 * Returns the first fault of the grammar. The library's parser reports no place: the fault is at
 * the token that it read last.
 */
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
  return {
    at: token.at,
    message: `does not expect \`${source.slice(token.at, token.end)}\` here${reasonOf(failure)}`,
  };
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
  return words === '' || words.startsWith('Unexpected')
    ? ''
    : `: ${words[0]!.toLowerCase()}${words.slice(1)}`;
}
