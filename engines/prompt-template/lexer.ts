import { type Fault, isFault } from './fault.ts';
import { templateLimits } from './limits.ts';

/**
 * A part of a template, and where it stands. Takes linear time for every template, also for long
 * runs of spaces. A test compares the tokens with those of @huggingface/jinja.
 */
export interface Token {
  type: TokenType;
  value: string;
  at: number;
  end: number;
  /** How many brackets of its tag are open around it. */
  depth: number;
}

type TokenType =
  | (typeof bracketTypes)[keyof typeof bracketTypes]
  | (typeof operatorTypes)[keyof typeof operatorTypes]
  | 'Text'
  | 'Comment'
  | 'OpenStatement'
  | 'CloseStatement'
  | 'OpenExpression'
  | 'CloseExpression'
  | 'UnaryOperator'
  | 'NumericLiteral'
  | 'StringLiteral'
  | 'Identifier';

const bracketTypes = {
  '(': 'OpenParen',
  ')': 'CloseParen',
  '[': 'OpenSquareBracket',
  ']': 'CloseSquareBracket',
  '{': 'OpenCurlyBracket',
  '}': 'CloseCurlyBracket',
} as const;
const bracketPairs: Record<string, string> = { '(': ')', '[': ']', '{': '}' };

const operatorTypes = {
  ',': 'Comma',
  '.': 'Dot',
  ':': 'Colon',
  '|': 'Pipe',
  '<=': 'ComparisonBinaryOperator',
  '>=': 'ComparisonBinaryOperator',
  '==': 'ComparisonBinaryOperator',
  '!=': 'ComparisonBinaryOperator',
  '<': 'ComparisonBinaryOperator',
  '>': 'ComparisonBinaryOperator',
  '+': 'AdditiveBinaryOperator',
  '-': 'AdditiveBinaryOperator',
  '~': 'AdditiveBinaryOperator',
  '**': 'ExponentiationBinaryOperator',
  '*': 'MultiplicativeBinaryOperator',
  '//': 'MultiplicativeBinaryOperator',
  '/': 'MultiplicativeBinaryOperator',
  '%': 'MultiplicativeBinaryOperator',
  '=': 'Equals',
} as const;

/**
 * Tokens that end a value. After them a sign is an operator between two values; after all other
 * tokens it belongs to the next value.
 */
const operands = new Set<TokenType>([
  'Identifier',
  'NumericLiteral',
  'StringLiteral',
  'CloseParen',
  'CloseSquareBracket',
]);

/** The parts of a template that can be read, and what cannot. */
export interface Scan {
  tokens: Token[];
  /** At most `problemsMax`. The tag of each is left out of the tokens. */
  faults: Fault[];
  /** Whether a tag `{% … %}` is left out, so that blocks may lack their ends. */
  lacksStatement: boolean;
}

/** The tokens of a template, and every tag in it that has none. */
export function scan(template: string): Scan {
  // As in Jinja, a single newline at the end is no part of the template.
  const source = template.endsWith('\n') ? template.slice(0, -1) : template;
  const found: Scan = { tokens: [], faults: [], lacksStatement: false };
  const { tokens, faults } = found;
  let at = 0;
  let trimStart = false;
  while (at < source.length && faults.length < templateLimits.problemsMax) {
    const open = openingFrom(source, at);
    if (tokens.length > templateLimits.tokensMax) {
      const message = `has more than ${templateLimits.tokensMax} parts before this`;
      return { tokens: [], faults: [{ at: open, message }], lacksStatement: true };
    }
    addText(tokens, source, { at, open, trimStart });
    if (open === source.length) break;
    const first = tokens.length;
    const last = scanOpened(source, open, tokens);
    if (isFault(last)) {
      tokens.length = first;
      faults.push({ at: last.at, message: last.message });
      found.lacksStatement ||= source[open + 1] === '%';
      at = afterFault(source, open, last);
      trimStart = false;
    } else ({ end: at, trims: trimStart } = last);
  }
  return found;
}

const scanOpened = (source: string, open: number, tokens: Token[]): End | TagFault =>
  source[open + 1] === '#'
    ? scanComment(source, open, tokens)
    : (scanRaw(source, open, tokens) ?? scanTag(source, open, tokens));

/** Where to go on after a fault: behind a tag that is closed, else at the next one. */
function afterFault(source: string, open: number, { at, hidesRest }: TagFault): number {
  if (hidesRest) return source.length;
  const closed = at > open ? closingFrom(source, at) : undefined;
  return closed ?? openingFrom(source, open + 2);
}

/** A tag with a fault. */
interface TagFault extends Fault {
  /** True where all that follows belongs to the tag. */
  hidesRest?: boolean;
}

/** Where a tag ended, and whether the space after it goes. */
interface End {
  end: number;
  trims: boolean;
}

function openingFrom(source: string, at: number): number {
  const opening = /\{[{%#]/g;
  opening.lastIndex = at;
  return opening.exec(source)?.index ?? source.length;
}

function addText(
  tokens: Token[],
  source: string,
  { at, open, trimStart }: { at: number; open: number; trimStart: boolean },
): void {
  const text = source.slice(at, open);
  const started = trimStart ? text.trimStart() : text;
  const value = source[open + 2] === '-' ? started.trimEnd() : started;
  if (value !== '') tokens.push({ type: 'Text', value, at, end: open, depth: 0 });
}

function scanComment(source: string, open: number, tokens: Token[]): End | TagFault {
  const from = source[open + 2] === '-' ? open + 3 : open + 2;
  const close = source.indexOf('#}', from);
  if (close < 0)
    return { at: open, message: 'has a comment `{#` without its `#}`', hidesRest: true };
  const comment = source.slice(from, close);
  const trims = comment.endsWith('-');
  tokens.push({
    type: 'Comment',
    value: trims ? comment.slice(0, -1) : comment,
    at: open,
    end: close + 2,
    depth: 0,
  });
  return { end: close + 2, trims };
}

const rawStart = /\{%-?\s*raw\s*(-?)%\}/y;
const rawEnd = /\{%(-?)\s*endraw\s*(-?)%\}/g;

/** `{% raw %} … {% endraw %}`, whose tags are text; undefined for another tag. */
function scanRaw(source: string, open: number, tokens: Token[]): End | TagFault | undefined {
  rawStart.lastIndex = open;
  const start = rawStart.exec(source);
  if (!start) return undefined;
  rawEnd.lastIndex = rawStart.lastIndex;
  const end = rawEnd.exec(source);
  if (!end)
    return { at: open, message: 'has `{% raw %}` without its `{% endraw %}`', hidesRest: true };
  const at = open + start[0].length;
  const text = source.slice(at, end.index);
  const started = start[1] === '-' ? text.trimStart() : text;
  const value = end[1] === '-' ? started.trimEnd() : started;
  if (value !== '') tokens.push({ type: 'Text', value, at, end: end.index, depth: 0 });
  return { end: end.index + end[0].length, trims: end[2] === '-' };
}

interface Bracket {
  text: string;
  at: number;
}

/** One tag, `{{ … }}` or `{% … %}`: its tokens are added. */
function scanTag(source: string, open: number, tokens: Token[]): End | Fault {
  const kind = source.slice(open, open + 2) as '{{' | '{%';
  const from = source[open + 2] === '-' ? open + 3 : open + 2;
  const first = tokens.length;
  const brackets: Bracket[] = [];
  tokens.push({
    type: kind === '{{' ? 'OpenExpression' : 'OpenStatement',
    value: kind,
    at: open,
    end: from,
    depth: 0,
  });
  for (
    let at = skipSpace(source, from);
    at < source.length;
    at = skipSpace(source, tokens.at(-1)!.end)
  ) {
    const close = closingAt(source, at, brackets);
    if (close) return finishTag(tokens, { kind, close, at, brackets });
    if (tokens.length - first > templateLimits.tagTokensMax)
      return { at: open, message: `has a tag of more than ${templateLimits.tagTokensMax} parts` };
    const token = tokenAt(source, at, { tokens, brackets, open });
    if (isFault(token))
      return closingFrom(source, at) === undefined ? unclosedTag(source, open) : token;
    tokens.push(token);
  }
  return unclosedTag(source, open);
}

function skipSpace(source: string, from: number): number {
  const space = /\s*/y;
  space.lastIndex = from;
  return from + space.exec(source)![0].length;
}

/**
 * Where the tag that `at` is in ends; undefined where the next one begins before. Without an end, an
 * apparent fault in the tag may be the text that follows it.
 */
function closingFrom(source: string, at: number): number | undefined {
  const mark = /[%}]\}|\{[{%]/g;
  mark.lastIndex = at;
  return mark.exec(source)?.[0].endsWith('}') ? mark.lastIndex : undefined;
}

const unclosedTag = (source: string, open: number): Fault =>
  source[open + 1] === '{'
    ? { at: open, message: 'has `{{` without its `}}`' }
    : { at: open, message: 'has `{%` without its `%}`' };

/** `}}` inside a dict closes two of them, unless a `-` says that the tag ends. */
function closingAt(source: string, at: number, brackets: Bracket[]): string | undefined {
  const close = /^-?[%}]\}/.exec(source.slice(at, at + 3))?.[0];
  return close === '}}' && brackets.some(({ text }) => text === '{') ? undefined : close;
}

function finishTag(
  tokens: Token[],
  {
    kind,
    close,
    at,
    brackets,
  }: { kind: '{{' | '{%'; close: string; at: number; brackets: Bracket[] },
): End | Fault {
  const bracket = brackets.at(-1);
  if (bracket)
    return {
      at: bracket.at,
      message: `has \`${bracket.text}\` without its \`${bracketPairs[bracket.text]}\``,
    };
  const bare = close.slice(-2);
  const wanted = kind === '{{' ? '}}' : '%}';
  if (bare !== wanted) return { at, message: `has \`${bare}\` where \`${wanted}\` closes the tag` };
  tokens.push({
    type: bare === '}}' ? 'CloseExpression' : 'CloseStatement',
    value: bare,
    at,
    end: at + close.length,
    depth: 0,
  });
  return { end: at + close.length, trims: close.length === 3 };
}

interface Tag {
  tokens: Token[];
  brackets: Bracket[];
  open: number;
}

function tokenAt(source: string, at: number, tag: Tag): Token | Fault {
  const character = source[at]!;
  const opening = source.slice(at, at + 2);
  if (opening === '{{' || opening === '{%') return unclosedTag(source, tag.open);
  if (opening === '{#') return { at, message: 'has a comment inside a tag' };
  if (Object.hasOwn(bracketTypes, character))
    return bracketAt(character as keyof typeof bracketTypes, at, tag.brackets);
  const depth = tag.brackets.length;
  if (character === '"' || character === "'") return stringAt(source, at, depth);
  return plainAt(source, at, { before: tag.tokens.at(-1)!.type, depth });
}

function bracketAt(
  text: keyof typeof bracketTypes,
  at: number,
  brackets: Bracket[],
): Token | Fault {
  if (Object.hasOwn(bracketPairs, text)) {
    brackets.push({ text, at });
    if (brackets.length > templateLimits.bracketDepthMax)
      return {
        at,
        message: `is nested deeper than ${templateLimits.bracketDepthMax} brackets here`,
      };
  } else {
    const partner = brackets.pop();
    if (!partner) return { at, message: `has \`${text}\` that closes nothing` };
    if (bracketPairs[partner.text] !== text)
      return { at, message: `has \`${text}\` where \`${bracketPairs[partner.text]}\` is expected` };
  }
  return { type: bracketTypes[text], value: text, at, end: at + 1, depth: brackets.length };
}

const escapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  "'": "'",
  '"': '"',
  '\\': '\\',
};

function stringAt(source: string, at: number, depth: number): Token | Fault {
  const quoted = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
  quoted.lastIndex = at;
  const text = quoted.exec(source)?.[0];
  if (text === undefined) return { at, message: 'has a text without its closing quote' };
  let fault: Fault | undefined;
  const value = text
    .slice(1, -1)
    .replace(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([\s\S]))/g,
      (written, byte, unit, letter, offset) => {
        if (letter === undefined) return String.fromCharCode(Number.parseInt(byte ?? unit, 16));
        if (!Object.hasOwn(escapes, letter))
          fault ??= {
            at: at + 1 + offset,
            message: `has \`${written}\`, which is not a Jinja escape`,
          };
        return escapes[letter] ?? '';
      },
    );
  return fault ?? { type: 'StringLiteral', value, at, end: at + text.length, depth };
}

const integerPart = /[0-9]+/y;
const numberPart = /[0-9]+(?:\.[0-9]+)?/y;
const signedPart = /[+-](?:[0-9]+(?:\.[0-9]+)?)?/y;
/** As in Python: letters of any script. */
const wordPart = /[\p{XID_Start}_]\p{XID_Continue}*/uy;
const operatorPart = /<=|>=|==|!=|\*\*|\/\/|[<>+\-~*/%=.,:|]/y;

/**
 * A number, a name or an operator. A sign that stands before a value is part of a number, or an
 * operator of its own.
 */
function plainAt(
  source: string,
  at: number,
  { before, depth }: { before: TokenType; depth: number },
): Token | Fault {
  const match = (part: RegExp): string | undefined => {
    part.lastIndex = at;
    return part.exec(source)?.[0];
  };
  const token = (type: TokenType, value: string): Token => ({
    type,
    value,
    at,
    end: at + value.length,
    depth,
  });
  const signed = operands.has(before) ? undefined : match(signedPart);
  if (signed !== undefined)
    return token(signed.length > 1 ? 'NumericLiteral' : 'UnaryOperator', signed);
  // In `a.0.1` the numbers are two indexes.
  const number = match(before === 'Dot' ? integerPart : numberPart);
  if (number !== undefined) return token('NumericLiteral', number);
  const word = match(wordPart);
  if (word !== undefined) return token('Identifier', word);
  const operator = match(operatorPart);
  if (operator !== undefined)
    return token(operatorTypes[operator as keyof typeof operatorTypes], operator);
  return {
    at,
    message: `has \`${String.fromCodePoint(source.codePointAt(at)!)}\`, which means nothing inside a tag`,
  };
}
