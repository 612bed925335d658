/** What a judge's template can read, in the order in which a person is told. `all` holds inputs, expected and outputs. */
export const templateVariables: readonly string[] = ['inputs', 'expected', 'outputs', 'guidelines', 'all'];

/** Other names of the same, as published templates have them: by what each means. */
export const variableAliases: Readonly<Record<string, string>> = { gradingInstructionsAndExamples: 'guidelines', allInputs: 'inputs' };

export const constants: Readonly<Record<string, boolean | null>> = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
};
