import type { Fault } from '../fault.ts';
import type { Token } from '../lexer.ts';
import type { Identifier } from '../tree.ts';

/** Words of the language. They name nothing, but for a field after a dot. */
const reservedWords = new Set(['in', 'not', 'and', 'or', 'if', 'else', 'is']);

/** Ends the parsing of a template at its first fault. */
export class GrammarFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

export type TokenReader = ReturnType<typeof createTokenReader>;

/**
 * Reads the tokens of a template one by one. The lexer closes every tag, and `checkBlocks` every
 * block, so that a parser inside of one always has a next token.
 */
export function createTokenReader(source: string, tokens: Token[]) {
  let position = 0;

  const next = (): Token => tokens[position]!;
  const isNext = (type: Token['type']): boolean => tokens[position]?.type === type;

  /** True if these words are next, one after the other. */
  const areWords = (...words: string[]): boolean =>
    words.every((word, index) => {
      const token = tokens[position + index];
      return token?.type === 'Identifier' && token.value === word;
    });

  function refuse(reason = '', { at, end }: Token = next()): never {
    const text = source.slice(at, end);
    const message = `does not expect \`${text}\` here${reason === '' ? '' : `: ${reason}`}`;
    throw new GrammarFault({ at, message });
  }

  /** Reads a token of this type. Refuses any other. */
  function take(type: Token['type'], reason?: string): Token {
    if (!isNext(type)) refuse(reason);
    return tokens[position++]!;
  }

  return {
    next,
    isNext,
    refuse,
    take,
    isAtEnd: (): boolean => position === tokens.length,
    /** True if the next tag has one of these names. */
    isTag: (...names: string[]): boolean =>
      isNext('OpenStatement') && names.includes(tokens[position + 1]!.value),
    skip(type: Token['type']): boolean {
      const isThere = isNext(type);
      if (isThere) position += 1;
      return isThere;
    },
    skipWords(...words: string[]): boolean {
      const areThere = areWords(...words);
      if (areThere) position += words.length;
      return areThere;
    },
    /** Reads the name of a variable, a filter or a test. */
    takeName(reason?: string): Identifier {
      if (reservedWords.has(next().value)) refuse();
      const { value, at } = take('Identifier', reason);
      return { type: 'Identifier', value, at };
    },
    /** Reads the name of a field, which any word may be. */
    takeFieldName(): Identifier {
      const { value, at } = take('Identifier', 'expected the name of a field');
      return { type: 'Identifier', value, at };
    },
  };
}
