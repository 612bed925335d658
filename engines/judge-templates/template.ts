/**
 * One ready-made judge: the one place that knows it. Its metric, its description and its page come
 * from here.
 */
export interface JudgeTemplate {
  /** Raised with each change of the wording, so that a metric can say from which one it came. */
  version: number;
  /** The name of a metric that is made from it. */
  title: string;
  /** One sentence, without a full stop. */
  summary: string;
  whenToUse: string;
  whenNotToUse: string;
  outputType: 'boolean' | 'int';
  /** Of an int template: the grade from which a record passes. */
  passingThreshold?: number;
  /** The parts of a record that the prompt reads, by the names that the prompt has for them. */
  fields: Record<string, TemplateField>;
  /** The criteria, as a person and a judge read them: the meaning of each value, and the edges. */
  guidelines: string;
  /** A Jinja template in which each field is a variable. */
  prompt: string;
  /** At least one for each value that can come out. */
  examples: TemplateExample[];
}

export interface TemplateField {
  /** Where it usually stands: a JSON Pointer into the record. */
  pointer: string;
  description: string;
  /** The prompt does without it where a record has none. */
  isOptional?: true;
}

export interface TemplateExample {
  inputs: Record<string, unknown>;
  expected: Record<string, unknown>;
  outputs: Record<string, unknown>;
  value: boolean | number;
  /** The reason that a good judge gives. */
  reasoning: string;
}
