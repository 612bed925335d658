/** What a template may be at most. Whatever is within these is parsed in little time and without deep recursion. */
export const templateLimits = {
  charactersMax: 200_000,
  /** Texts, comments, and what tags are made of: names, operators, brackets and values. */
  tokensMax: 20_000,
  /** Blocks inside blocks; an `elif` counts as one inside its `if`, as the parser sees it. */
  blockDepthMax: 100,
  /** Brackets inside brackets, in one tag. */
  bracketDepthMax: 50,
  /** The same in one tag. */
  tagTokensMax: 2000,
} as const;
