import { beginsBlock, checkTagName } from './blocks.ts';
import type { Fault } from './fault.ts';
import type { Token } from './lexer.ts';
import { createStatementParser } from './parse/statements.ts';
import { createTokenReader, GrammarFault } from './parse/token-reader.ts';

/**
 * The first fault of each tag, read by itself: so that one fault hides no other, and it does not
 * matter which tag lacks its end. Tags that have one of these faults already are left out.
 */
export function findTagFaults(source: string, tokens: Token[], told: Fault[]): Fault[] {
  return tagsOf(tokens)
    .filter((tag) => !told.some(({ at }) => at >= tag[0]!.at && at < tag.at(-1)!.end))
    .flatMap((tag) => faultOf(source, tag) ?? []);
}

/** The tokens of each tag, from its opening to its closing. */
function tagsOf(tokens: Token[]): Token[][] {
  const tags: Token[][] = [];
  for (const token of tokens) {
    if (token.type === 'OpenStatement' || token.type === 'OpenExpression') tags.push([]);
    if (token.type !== 'Text' && token.type !== 'Comment') tags.at(-1)!.push(token);
  }
  return tags;
}

function faultOf(source: string, tag: Token[]): Fault | undefined {
  const isStatement = tag[0]!.type === 'OpenStatement';
  const unknown = isStatement ? checkTagName(tag[1]!) : undefined;
  if (unknown) return unknown;
  try {
    createStatementParser(createTokenReader(source, isStatement ? whole(tag) : tag)).parseAll();
    return undefined;
  } catch (error) {
    if (error instanceof GrammarFault) return error.fault;
    throw error;
  }
}

/** A tag with the end of its block; an `elif` is read as the `if` that it is. */
function whole(tag: Token[]): Token[] {
  const [open, name, ...rest] = tag;
  const named = { ...name!, value: name!.value === 'elif' ? 'if' : name!.value };
  const begun = [open!, named, ...rest];
  if (!beginsBlock(begun, 0)) return begun;
  return [...begun, open!, { ...named, value: `end${named.value}` }, tag.at(-1)!];
}
