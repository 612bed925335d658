import type { MetricBody } from '../metric-definition.ts';

const nameCharacters = 80;

const promptTemplate = `The input:
{{ inputs }}

The output:
{{ outputs }}

Does the output meet the guidelines?`;

/** A metric of a judge that sees the whole record, and has nothing but guidelines. */
export const metricOfGuidelines = (guidelines: string): MetricBody & { name: string } => ({
  name: [...guidelines.replaceAll(/\s+/g, ' ').trim()].slice(0, nameCharacters).join(''),
  evalType: 'ai',
  outputType: 'boolean',
  guidelines,
  promptTemplate,
  temperature: 0,
});
