import type { BodyOf } from '@assay/client/operations';
import {
  defaultThreshold,
  isNumeric,
  type PassingRule,
  type StatedScale,
  statedWhole,
} from '@assay/contracts/scale';
import { jsonDifference } from '../../parts/difference/json-difference.ts';
import { type Metric, type OutputType, type Scorer, scorerOf } from '../../text/metrics.ts';
import type { JudgeTemplate } from './judge-library.tsx';

export type CodeLanguage = 'typescript' | 'javascript' | 'python';

/**
 * A metric while it is written: one form for all nine shapes. Numbers are texts, since a person may
 * type anything; fields of other shapes are kept, and are not sent.
 */
export interface Draft {
  name: string;
  description: string;
  guidelines: string;
  scorer: Scorer;
  outputType: OutputType;
  /** What a judge is shown: a record, or the records of a testcase in two runs. */
  subject: 'record' | 'pair';
  passingThreshold: string;
  /** The ends of the scale; an empty one of a float metric is none. */
  min: string;
  max: string;
  lowerIsBetter: boolean;
  promptTemplate: string;
  evalModelName: string;
  temperature: string;
  votes: string;
  seed: string;
  language: CodeLanguage;
  source: string;
  evaluator: string;
  /** Options of the built-in evaluator; one that cannot be read is the text that was typed. */
  options: Record<string, unknown>;
  annotators: string;
}

/** The props of every part of the form. */
export interface DraftProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  problemAt: (path: string) => string | undefined;
  warningAt: (path: string) => string | undefined;
}

/** The scale of an output type, as it is written. */
const usualEnds: Record<OutputType, Pick<Draft, 'min' | 'max'>> = {
  boolean: { min: '', max: '' },
  int: { min: '1', max: '5' },
  float: { min: '0', max: '1' },
};

/** The scale and the direction of a draft, as far as its texts are numbers. */
function scaleIn({ outputType, min, max, lowerIsBetter }: ScaledDraft): StatedScale {
  if (!isNumeric(outputType)) return { outputType, lowerIsBetter };
  const endOf = (text: string) => (text.trim() === '' ? null : Number(text));
  return { outputType, min: endOf(min), max: endOf(max), lowerIsBetter };
}

type ScaledDraft = Pick<Draft, 'outputType' | 'min' | 'max' | 'lowerIsBetter'>;

/** By what the values of a draft pass. */
export const passingRuleIn = (draft: Draft): PassingRule => ({
  ...scaleIn(draft),
  passingThreshold: draft.passingThreshold.trim() === '' ? null : Number(draft.passingThreshold),
});

function defaultThresholdText(draft: ScaledDraft): string {
  const threshold = defaultThreshold(scaleIn(draft));
  return threshold === null || Number.isNaN(threshold) ? '' : String(threshold);
}

/** The change of an output type, with the scale and the threshold of metrics of it. */
export function withOutputType(draft: Draft, outputType: OutputType): Partial<Draft> {
  const scale = { ...usualEnds[outputType], lowerIsBetter: draft.lowerIsBetter };
  const passingThreshold = defaultThresholdText({ ...scale, outputType });
  return { ...scale, outputType, passingThreshold };
}

/** The change of a scale or direction; a threshold that was the default moves with it. */
export function withScale(
  draft: Draft,
  part: Partial<Pick<Draft, 'min' | 'max' | 'lowerIsBetter'>>,
): Partial<Draft> {
  if (draft.passingThreshold !== defaultThresholdText(draft)) return part;
  return { ...part, passingThreshold: defaultThresholdText({ ...draft, ...part }) };
}

/** The beginning of a prompt, for each subject. */
export const firstTemplates: Record<Draft['subject'], string> = {
  record: `Asked:
{{ inputs }}

Expected:
{{ expected }}

Answer to be judged:
{{ outputs }}

Does the answer do what was asked?`,
  pair: `Asked:
{{ inputs }}

Expected:
{{ expected }}

First answer:
{{ first.outputs }}

Second answer:
{{ second.outputs }}

Which answer does better what was asked?`,
};

/** The beginning of code, as its language writes it. */
export const firstSources: Record<CodeLanguage, string> = {
  typescript:
    'function evaluate({ inputs, expected, outputs }) {\n  return { value: true, reasoning: "Say why." };\n}\n',
  javascript:
    'function evaluate({ inputs, expected, outputs }) {\n  return { value: true, reasoning: "Say why." };\n}\n',
  python: 'def evaluate(record):\n    return {"value": True, "reasoning": "Say why."}\n',
};

export const firstDraft: Draft = {
  name: '',
  description: '',
  guidelines: '',
  scorer: 'judge',
  outputType: 'boolean',
  subject: 'record',
  passingThreshold: '',
  ...usualEnds.boolean,
  lowerIsBetter: false,
  promptTemplate: firstTemplates.record,
  evalModelName: '',
  temperature: '0',
  votes: '1',
  seed: '',
  language: 'typescript',
  source: firstSources.typescript,
  evaluator: 'exact_match',
  options: {},
  annotators: '1',
};

const asText = (value: unknown): string =>
  value === undefined || value === null ? '' : String(value);

/** The beginning of a metric that is made from a ready-made judge. */
export const draftFrom = (template: JudgeTemplate): Draft => ({
  ...firstDraft,
  name: template.title,
  description: template.description,
  guidelines: template.guidelines,
  outputType: template.outputType,
  passingThreshold: asText(template.passingThreshold),
  ...usualEnds[template.outputType],
  promptTemplate: template.promptTemplate,
});

type StoredFields = Partial<Record<string, unknown>> & {
  builtin?: { name: string; options?: Record<string, unknown> };
  code?: { language: CodeLanguage; source: string };
};

/** The draft of a metric as it is stored. */
export function draftOf(metric: Metric): Draft {
  const given = metric as unknown as StoredFields;
  const { builtin, code, ...rest } = given;
  const { min, max, lowerIsBetter } = statedWhole(metric);
  const ends = isNumeric(metric.outputType)
    ? { min: asText(min), max: asText(max) }
    : usualEnds.boolean;
  const texts = {
    ...ends,
    description: asText(rest.description),
    passingThreshold: asText(rest.passingThreshold),
    seed: asText(rest.seed),
    ...(metric.evalType === 'ai'
      ? {
          promptTemplate: asText(rest.promptTemplate),
          evalModelName: asText(rest.evalModelName),
          temperature: asText(rest.temperature),
          votes: asText(rest.votes ?? 1),
          subject: rest.subject === 'pair' ? ('pair' as const) : ('record' as const),
        }
      : {}),
    annotators: asText(rest.annotators ?? 1),
  };
  return {
    ...firstDraft,
    name: metric.name,
    guidelines: metric.guidelines,
    outputType: metric.outputType,
    lowerIsBetter,
    ...texts,
    scorer: scorerOf(metric),
    ...(builtin ? { evaluator: builtin.name, options: builtin.options ?? {} } : {}),
    ...(code ?? {}),
  };
}

/** The typed number; the text itself where it is none, so that the server refuses it. */
function numberIn(text: string, whenEmpty: number | null): number | string | null {
  if (text.trim() === '') return whenEmpty;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

const parts: Record<Scorer, (draft: Draft) => object> = {
  judge: ({ subject, promptTemplate, evalModelName, temperature, votes, seed }) => ({
    evalType: 'ai',
    ...(subject === 'pair' ? { subject } : {}),
    promptTemplate,
    // The default model judges where none is named.
    ...(evalModelName.trim() === '' ? {} : { evalModelName: evalModelName.trim() }),
    temperature: numberIn(temperature, null),
    votes: numberIn(votes, 1),
    seed: numberIn(seed, null),
  }),
  code: ({ language, source }) => ({ evalType: 'heuristic', code: { language, source } }),
  builtin: ({ evaluator, options }) => ({
    evalType: 'heuristic',
    builtin: { name: evaluator, options },
  }),
  people: ({ annotators }) => ({ evalType: 'human', annotators: numberIn(annotators, 1) }),
  program: () => ({ evalType: 'heuristic' }),
};

export type MetricBody = BodyOf<'POST', '/projects/:projectId/metrics'>;
export type MetricChange = BodyOf<'PATCH', '/metrics/:metricId'>;

/** A scale and a threshold as they are sent; without a threshold the server takes its default. */
function numbersIn({ outputType, min, max, passingThreshold }: Draft) {
  const threshold = numberIn(passingThreshold, null);
  const [low, high] = [numberIn(min, null), numberIn(max, null)];
  // An int metric has both ends: an empty one is that of its output type.
  const isSent = (end: unknown) => outputType === 'float' || end !== null;
  return {
    ...(isSent(low) ? { min: low } : {}),
    ...(isSent(high) ? { max: high } : {}),
    ...(threshold === null ? {} : { passingThreshold: threshold }),
  };
}

/** The body of a creation or a change. It may be invalid: the server checks it. */
export function bodyOf(draft: Draft): MetricBody & MetricChange {
  const { name, description, guidelines, scorer, outputType, lowerIsBetter } = draft;
  return {
    name,
    description: description === '' ? null : description,
    guidelines,
    outputType,
    lowerIsBetter,
    ...(isNumeric(outputType) ? numbersIn(draft) : {}),
    ...parts[scorer](draft),
  } as unknown as MetricBody & MetricChange;
}

/** The body of a draft that is only checked or tried: it needs no name yet. */
export const trialBodyOf = (draft: Draft) => bodyOf({ ...draft, name: draft.name || 'Draft' });

/** Whether two drafts score in different ways: a change of names makes no new version. */
export const scoresDiffer = (before: Draft, after: Draft): boolean =>
  jsonDifference(scoringOf(before), scoringOf(after)).length > 0;

function scoringOf(draft: Draft): object {
  const { name: _, description: __, ...scoring } = bodyOf(draft) as unknown as Draft;
  return scoring;
}
