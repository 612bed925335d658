import { JsonNumber } from '@assay/json/value';
import type { ScalarTag } from 'yaml';

/** Writes a number that no double holds into YAML by its digits, as JSON has it. */
export const exactNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof JsonNumber,
  resolve: (text) => new JsonNumber(text),
  stringify: ({ value }) => (value as JsonNumber).text,
};
