import { checkBlocks } from './blocks.ts';
import { type Fault, isFault } from './fault.ts';
import { scan } from './lexer.ts';
import { templateLimits } from './limits.ts';
import { createStatementParser } from './parse/statements.ts';
import { createTokenReader, GrammarFault } from './parse/token-reader.ts';
import type { Statement } from './tree.ts';

/** The tree of a template, or the first fault of its grammar. */
export function parseTemplate(source: string): Statement[] | Fault {
  if (source.length > templateLimits.charactersMax)
    return { at: 0, message: `must have at most ${templateLimits.charactersMax} characters` };
  const tokens = scan(source);
  if (isFault(tokens)) return tokens;
  const fault = checkBlocks(tokens);
  if (fault) return fault;
  try {
    return createStatementParser(createTokenReader(source, tokens)).parseAll();
  } catch (error) {
    if (error instanceof GrammarFault) return error.fault;
    throw error;
  }
}
