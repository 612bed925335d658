import type { BodyOf } from '@assay/client/operations';
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

export const thresholds: Record<OutputType, string> = { boolean: '', int: '4', float: '0.9' };

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
  const texts = {
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

/** The body of a creation or a change. It may be invalid: the server checks it. */
export function bodyOf(draft: Draft): MetricBody & MetricChange {
  const { name, description, guidelines, scorer, outputType, passingThreshold } = draft;
  return {
    name,
    description: description === '' ? null : description,
    guidelines,
    outputType,
    ...(outputType === 'boolean' ? {} : { passingThreshold: numberIn(passingThreshold, null) }),
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
