import type { Fields, MetricBody } from './entity.ts';
import { ImportFailure, type Place } from './failure.ts';
import type { Item, RunFacts, TestcaseFacts, TestsetFacts } from './item.ts';
import type { Losses } from './losses.ts';
import { addScore, emptySummary, outputTypeOf, type ScoreSummary } from './metric-rules.ts';
import { fieldsMax, metricsMax, runsMax } from './reading/limits.ts';

type Role = 'inputs' | 'expected' | 'metadata';
export const roles: readonly Role[] = ['inputs', 'expected', 'metadata'];

/** The result of the first pass over a source: it does not grow with the rows. */
export interface Survey {
  testsets: Map<string, SurveyedTestset>;
  systems: Map<string, { ref: string; name: string; description: string; config: Fields }>;
  runs: Map<string, SurveyedRun>;
  /** Metrics that the source defines, by their names. */
  definitions: Map<string, MetricBody>;
  /** Metrics of which the source has scores, by their names; undefined where nothing fits them. */
  scored: Map<string, { summary: ScoreSummary; outputType: ReturnType<typeof outputTypeOf> }>;
}

interface SurveyedTestset {
  ref: string;
  name: string;
  facts: TestsetFacts;
  /** The names of the fields of each role in the source, and under which they are carried. */
  names: Record<Role, Map<string, string>>;
}

interface SurveyedRun {
  ref: string;
  facts: RunFacts;
  testset: string | undefined;
  system: string | undefined;
  metrics: Set<string>;
  /** Of a column of answers: the ids of its records. */
  answers: Set<string>;
}

export const testsetId = ({ id, name }: TestsetFacts): string => id ?? name;
const systemId = ({ name, config }: { name: string; config: Fields }): string =>
  `${name}\n${JSON.stringify(config)}`;

/** Reads all items once. @throws whatever makes the source unreadable. */
export async function surveyItems(items: AsyncIterable<Item>, losses: Losses): Promise<Survey> {
  const survey: Survey = {
    testsets: new Map(),
    systems: new Map(),
    runs: new Map(),
    definitions: new Map(),
    scored: new Map(),
  };
  let place: Place = {};
  const systems = new WeakMap<object, string>();
  for await (const item of items) {
    place = item.place;
    surveyItem(survey, item, systems);
  }
  nameTestsets(survey, place.file, losses);
  chooseOutputTypes(survey, place.file, losses);
  return survey;
}

function surveyItem(survey: Survey, item: Item, systems: WeakMap<object, string>): void {
  const testset = item.testset && surveyTestset(survey, item.testset, item);
  const system = item.system && surveySystem(survey, item.system, systems);
  for (const body of item.metrics ?? []) survey.definitions.set(body.name, body);
  if (!item.run) return;
  const run = survey.runs.get(item.run.id) ?? {
    ref: `run:${survey.runs.size + 1}`,
    facts: item.run,
    testset,
    system,
    metrics: new Set<string>(),
    answers: new Set<string>(),
  };
  survey.runs.set(item.run.id, run);
  run.testset ??= testset;
  run.system ??= system;
  if (item.run.column !== undefined && item.record?.id) run.answers.add(item.record.id);
  for (const score of item.scores ?? []) {
    run.metrics.add(score.name);
    const known = survey.scored.get(score.name) ?? {
      summary: emptySummary(),
      outputType: undefined,
    };
    survey.scored.set(score.name, known);
    addScore(known.summary, score);
  }
  if (survey.scored.size > metricsMax || survey.runs.size > runsMax)
    throw new ImportFailure(
      item.place,
      `brings more than ${survey.scored.size > metricsMax ? `${metricsMax} metrics` : `${runsMax} runs`}, which no evaluation has: is this the right format?`,
    );
}

/** Rows that share one object of a system, as those of a log do, compare its config once. */
function surveySystem(
  survey: Survey,
  system: NonNullable<Item['system']>,
  refs: WeakMap<object, string>,
): string {
  const seen = refs.get(system);
  if (seen !== undefined) return seen;
  const id = systemId(system);
  const ref = survey.systems.get(id)?.ref ?? `system:${survey.systems.size + 1}`;
  if (!survey.systems.has(id))
    survey.systems.set(id, { ...system, ref, description: system.description ?? '' });
  refs.set(system, ref);
  return ref;
}

function surveyTestset(survey: Survey, facts: TestsetFacts, { testcase, place }: Item): string {
  const id = testsetId(facts);
  const testset = survey.testsets.get(id) ?? {
    ref: `testset:${survey.testsets.size + 1}`,
    name: facts.name,
    facts,
    names: { inputs: new Map(), expected: new Map(), metadata: new Map() },
  };
  if (!survey.testsets.has(id)) {
    for (const key of Object.keys(facts.properties ?? {})) testset.names.inputs.set(key, key);
    for (const key of Object.keys(facts.expectedProperties ?? {}))
      testset.names.expected.set(key, key);
  }
  survey.testsets.set(id, testset);
  if (testcase) surveyFields(testset, testcase, place);
  return testset.ref;
}

function surveyFields({ names }: SurveyedTestset, testcase: TestcaseFacts, place: Place): void {
  for (const role of roles)
    for (const key of Object.keys(testcase[role] ?? {})) names[role].set(key, key);
  if (names.inputs.size + names.expected.size + names.metadata.size > fieldsMax)
    throw new ImportFailure(
      place,
      `brings the ${fieldsMax + 1}th different field of its testset: put what varies into one field.`,
    );
}

/**
 * Gives testsets of one name different ones, and fields of one name in two roles: a testcase has
 * one namespace.
 */
function nameTestsets(survey: Survey, file: string | undefined, { lose }: Losses): void {
  const taken = new Set<string>();
  for (const testset of survey.testsets.values()) {
    const name = freeName(testset.name, taken, (number) => `${testset.name} (${number})`);
    taken.add(name);
    if (name !== testset.name)
      lose({ file }, `Two testsets are named ${quoted(testset.name)}: one became ${quoted(name)}.`);
    testset.name = name;
    nameFields(testset, file, lose);
  }
}

function nameFields(
  { names }: SurveyedTestset,
  file: string | undefined,
  lose: Losses['lose'],
): void {
  const all = new Set(roles.flatMap((role) => [...names[role].keys()]));
  const taken = new Set(names.inputs.keys());
  for (const role of ['expected', 'metadata'] as const)
    for (const key of names[role].keys()) {
      const name = taken.has(key)
        ? freeName(`${role}_${key}`, all, (number) => `${role}_${key}_${number}`)
        : key;
      names[role].set(key, name);
      taken.add(name);
      all.add(name);
      if (name !== key)
        lose(
          { file },
          `The field ${quoted(key)} has two roles: as ${role} it became ${quoted(name)}.`,
        );
    }
}

function freeName(name: string, taken: Set<string>, numbered: (number: number) => string): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(numbered(number))) number += 1;
  return numbered(number);
}

function chooseOutputTypes(survey: Survey, file: string | undefined, { lose }: Losses): void {
  for (const [name, scored] of survey.scored) {
    scored.outputType = outputTypeOf(scored.summary);
    if (scored.outputType === undefined)
      lose(
        { file },
        `The scores of ${quoted(name)} lie between ${scored.summary.min} and ${scored.summary.max}, and the file does not say on which scale: they stay behind.`,
      );
  }
}

export const quoted = (name: string): string => JSON.stringify(name);
