/** A fault of a schema: `path` is a JSON Pointer into it, `''` for the whole. */
export interface SchemaProblem {
  path: string;
  message: string;
}

/**
 * A fault of a document: `path` is a JSON Pointer that starts with `/data`. `isUnchecked` if the
 * document could not be checked at all.
 */
export interface DocumentProblem {
  path: string;
  message: string;
  isUnchecked?: true;
}
