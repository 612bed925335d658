/** The field in which a score carries the value of each output type (contract section 2, Score). */
export const valueFields = {
  boolean: 'binaryScore',
  int: 'intScore',
  float: 'floatScore',
} as const;
