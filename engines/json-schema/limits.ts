/**
 * Upper bounds for the cost of a user's schema and of the work that it causes. The slowest schema
 * found within these caps (2,400 branches under `unevaluatedProperties`) compiles in 1.5 s on the
 * machine that these numbers are from, a third of the default deadline.
 */
export const schemaLimits = Object.freeze({
  /** Every later step is at least linear in it; 5,000 typed fields are 136 KB. */
  schemaBytesMax: 256 * 1024,
  /** JSON levels. Each becomes nested generated code, and the parser of that code is recursive. */
  depthMax: 128,
  /** Objects and booleans in a schema's place; about 0.1 ms each to compile (5,000 took 0.5 s). */
  subschemasMax: 5_000,
  /**
   * Names in `properties`, `required` and the dependent ones; each is several lines of generated
   * code.
   */
  propertiesMax: 5_000,
  /** Each distinct target becomes a function of its own (1,000 took 0.2 s). */
  referencesMax: 1_000,
  /**
   * Schema applications when every reference is unfolded once: 14 doublings pass, 22 (seconds a
   * document) do not.
   */
  expansionMax: 100_000,
  /**
   * Entries of all `enum`s together; they are looked up by hash, so this bounds memory and the
   * messages' source.
   */
  enumEntriesMax: 10_000,
  /** Regular expressions of `pattern` and `patternProperties`; each is compiled to an automaton. */
  patternsMax: 500,
  /**
   * Characters of one regular expression; RE2 matches in time proportional to this times the text.
   */
  patternLengthMax: 2_000,
  /**
   * Instructions of all patterns together; `a{1000}` is 1,000 of them, each some 140 bytes and a
   * step for every character matched.
   */
  patternInstructionsMax: 50_000,
  /** Problems reported for one document, and for one schema (contract, section 2 "Testcase"). */
  problemsMax: 100,
  /**
   * Raw errors kept for one document; the branches of `anyOf` and the like count too until they are
   * folded.
   */
  errorsReadMax: 10_000,
  /**
   * Documents that go to the worker in one piece; a larger batch is cut, so that one deadline
   * covers a bounded amount.
   */
  batchBytesMax: 8 * 1024 * 1024,
  /**
   * Bytes of one document: above every body that the service accepts. Parsing cannot be
   * interrupted, so it must fit the heap.
   */
  documentBytesMax: 16 * 1024 * 1024,
  /**
   * Old-generation heap of a worker: a largest document of five million empty objects is checked in
   * it, and four million were in half of it.
   */
  workerHeapMiBMax: 1024,
  /** Compiled validators that a worker keeps, by schema hash. */
  compiledMax: 200,
  /**
   * Text of all schemas whose validators a worker keeps; a validator takes some 50 times its text,
   * so this is a tenth of the heap.
   */
  compiledBytesMax: 2 * 1024 * 1024,
  /**
   * Schema text up to which a task may use the last free worker; longer ones leave one worker to
   * others.
   */
  lightSchemaBytesMax: 16 * 1024,
  /** Document bytes up to which a task may use the last free worker. */
  lightDocumentBytesMax: 1024 * 1024,
  /**
   * How long a schema that was stopped at its deadline is taken for slow: not compiled again, and
   * kept off the last free worker.
   */
  slowSchemaMs: 60_000,
});
