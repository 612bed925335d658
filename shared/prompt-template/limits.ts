/** What a template may be at most. Whatever is within these is parsed in little time and without deep recursion. */
export const templateLimits = {
  charactersMax: 200_000,
  /** Blocks inside blocks; an `elif` counts as one inside its `if`, as the parser sees it. */
  blockDepthMax: 100,
  /** Brackets inside brackets, in one tag. */
  bracketDepthMax: 50,
  /** Names, operators, brackets and values in one tag. */
  tagTokensMax: 2000,
} as const;
