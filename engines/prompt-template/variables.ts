/**
 * The variables that a judge's template can read, in the order in which messages list them. `all`
 * holds inputs, expected and outputs.
 */
export const templateVariables: readonly string[] = [
  'inputs',
  'expected',
  'outputs',
  'guidelines',
  'all',
];

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
