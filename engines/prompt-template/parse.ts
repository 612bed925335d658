import { checkBlocks } from './blocks.ts';
import type { Fault } from './fault.ts';
import { findTagFaults } from './faulty-tags.ts';
import { scan } from './lexer.ts';
import { templateLimits } from './limits.ts';
import { createStatementParser } from './parse/statements.ts';
import { createTokenReader, GrammarFault } from './parse/token-reader.ts';
import type { Statement } from './tree.ts';

/** The faults of a template's grammar in their order, at least one. */
export interface Faulty {
  faults: [Fault, ...Fault[]];
}

export const isFaulty = (program: Statement[] | Faulty): program is Faulty => 'faults' in program;

/** The tree of a template, or every fault of its grammar (up to `problemsMax`). */
export function parseTemplate(source: string): Statement[] | Faulty {
  if (source.length > templateLimits.charactersMax)
    return {
      faults: [{ at: 0, message: `must have at most ${templateLimits.charactersMax} characters` }],
    };
  const { tokens, faults, lacksStatement } = scan(source);
  faults.push(...(lacksStatement ? [] : checkBlocks(tokens)));
  if (faults.length === 0) {
    try {
      return createStatementParser(createTokenReader(source, tokens)).parseAll();
    } catch (error) {
      if (!(error instanceof GrammarFault)) throw error;
    }
  }
  faults.push(...findTagFaults(source, tokens, faults));
  faults.sort((one, other) => one.at - other.at);
  return { faults: faults.slice(0, templateLimits.problemsMax) as Faulty['faults'] };
}
