/** The subject of a judge: a record, or the records of a testcase in two runs. */
export type Subject = 'record' | 'pair';

/**
 * The variables that a judge's template can read, in the order in which messages list them. `all`
 * holds all that come before guidelines.
 */
export const templateVariables: Readonly<Record<Subject, readonly string[]>> = {
  record: ['inputs', 'expected', 'outputs', 'guidelines', 'all'],
  pair: ['inputs', 'expected', 'first', 'second', 'guidelines', 'all'],
};

/** Other names of these variables in published templates, each with the variable that it means. */
export const variableAliases: Readonly<Record<string, string>> = {
  gradingInstructionsAndExamples: 'guidelines',
  allInputs: 'inputs',
};

export const constants: Readonly<Record<string, boolean | null>> = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
};
