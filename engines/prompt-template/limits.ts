/**
 * Upper bounds of a template. A template within them is parsed in little time and without deep
 * recursion.
 */
export const templateLimits = {
  charactersMax: 200_000,
  /** Texts, comments, and the parts of tags: names, operators, brackets and values. */
  tokensMax: 20_000,
  /** Blocks inside blocks; an `elif` counts as one inside its `if`, as the parser sees it. */
  blockDepthMax: 100,
  /** Brackets inside brackets, in one tag. */
  bracketDepthMax: 50,
  /** The same in one tag. */
  tagTokensMax: 1000,
  /** Problems that are told of one template. */
  problemsMax: 20,
} as const;

/**
 * Upper bounds for rendering one prompt. Within them, rendering any template with any record ends
 * in about a second.
 */
export const renderLimits = {
  /** The prompt, with the marks around the data in it. */
  promptCharactersMax: 1_000_000,
  /**
   * Statements and expressions evaluated, rounds of loops, and items of lists and objects made,
   * read or compared.
   */
  stepsMax: 1_000_000,
  /**
   * Characters of all texts that are made or searched on the way: a 15 MB field can be converted
   * twice.
   */
  workCharactersMax: 32_000_000,
  /**
   * Blocks and expressions inside one another, through the macros that they call; a call counts as
   * four. The deepest template that may be written goes to about 1100, and the stack of a Node
   * process ends at 2400.
   */
  depthMax: 1200,
  /**
   * Lists and objects inside one another, where they are compared or become JSON: a record has up
   * to 512.
   */
  valueDepthMax: 520,
};

export type RenderLimits = typeof renderLimits;
