import { isObject } from '@assay/json/value';
import { writeJson } from '@assay/json/write';
import type { Fields } from '../../entity.ts';
import type { Place } from '../../failure.ts';
import type { Item, Reading, RecordFacts, ScoreFacts } from '../../item.ts';
import { readJson } from '../../reading/json-stream.ts';
import { parseJson } from '../../reading/json-text.ts';
import {
  defined,
  fieldsOf,
  listAt,
  numberAt,
  numbers,
  objectAt,
  plainNumber,
  saidAt,
  textAt,
  valueAt,
} from '../../reading/json-values.ts';
import { readLines } from '../../reading/lines.ts';
import { isLinesName } from '../../reading/sketch.ts';
import { type SourceFile, stemOf } from '../../source.ts';

/** The rows of `promptfoo eval -o results.json`, of versions 2 and 3, or of `results.jsonl`. */
export async function* resultItems(
  file: SourceFile,
  { options, lose }: Reading,
): AsyncGenerator<Item> {
  const testset = { name: options.name ?? stemOf(file.name), id: file.name };
  yield { place: { file: file.name }, testset };
  const idOf = createResultIds();
  for await (const { value, place } of readResults(file, lose)) {
    if (!isObject(value)) continue;
    const row = rowOf(value, place, lose);
    yield { ...row, record: { ...row.record, id: idOf(row.run.id, row.record.id) }, testset };
  }
}

/** A test may have several results of one prompt: a retry appends them. Each is a record. */
function createResultIds() {
  const results = new Map<string, number>();
  return (run: string, id: string): string => {
    const of = `${run} ${id}`;
    const count = (results.get(of) ?? 0) + 1;
    results.set(of, count);
    return count === 1 ? id : `${id}:${count}`;
  };
}

async function* readResults(
  file: SourceFile,
  lose: Reading['lose'],
): AsyncGenerator<{ value: unknown; place: Place }> {
  if (isLinesName(file.name))
    for await (const { text, line } of readLines(file)) {
      const place = { file: file.name, line };
      yield { value: parseJson(text, place, lose), place };
    }
  else {
    const skipped = ['/results/table/body', '/results/prompts', '/table/body'];
    for await (const part of readJson(file, {
      lists: ['/results/results', '/results'],
      skipped,
      lose,
    }))
      if (part.kind === 'element') yield part;
  }
}

function rowOf(row: Fields, place: Place, lose: Reading['lose']) {
  const provider = providerOf(row);
  const prompt = objectAt(row, 'prompt') ?? {};
  const promptIndex = textAt(row, 'promptIdx') ?? textAt(prompt, 'label') ?? '0';
  const testIndex = textAt(row, 'testIdx') ?? writeJson(row.vars ?? {});
  const promptLabel =
    textAt(prompt, 'label') ?? textAt(prompt, 'display') ?? `Prompt ${promptIndex}`;
  const isError = row.failureReason === 2;
  return {
    place,
    testcase: {
      key: testIndex,
      inputs: fieldsOf(row.vars, 'input'),
      expected: expectationsOf(listAt(row, 'testCase', 'assert')),
      metadata: defined({
        description: textAt(row, 'testCase', 'description'),
        ...objectAt(row, 'testCase', 'metadata'),
      }),
    },
    system: {
      name: provider.label ?? provider.id,
      config: { provider: provider.id, prompt: textAt(prompt, 'raw') ?? promptLabel },
    },
    run: {
      id: `${provider.label ?? provider.id}:${promptIndex}`,
      name: `${provider.label ?? provider.id} · ${promptLabel}`,
    },
    record: {
      id: `${testIndex}:${promptIndex}:${textAt(row, 'repeatIndex') ?? 0}`,
      ...answerOf(row, isError),
      metrics: {
        ...numbers(row, { latencyMs: ['latencyMs'], costUsd: ['cost'] }),
        ...numbers(valueAt(row, 'response', 'tokenUsage') ?? row.tokenUsage, {
          inputTokens: ['prompt'],
          outputTokens: ['completion'],
        }),
      },
      metadata: objectAt(row, 'response', 'metadata'),
    },
    scores: isError ? [] : scoresOf(row, place, lose),
  };
}

function providerOf({ provider }: Fields): { id: string; label: string | undefined } {
  if (typeof provider === 'string') return { id: provider, label: undefined };
  return { id: textAt(provider, 'id') ?? 'provider', label: textAt(provider, 'label') };
}

const expectedTypes = [
  'equals',
  'contains',
  'icontains',
  'levenshtein',
  'rouge-n',
  'factuality',
  'rubric',
  'llm-rubric',
];

/** The assertions of a test by their metrics or types; the second of a name has a number. */
export function nameAssertions(assertions: unknown[]): Map<string, Fields> {
  const named = new Map<string, Fields>();
  for (const assertion of assertions) {
    const base = textAt(assertion, 'metric') ?? textAt(assertion, 'type');
    if (base === undefined || !isObject(assertion)) continue;
    let name = base;
    for (let number = 2; named.has(name); number++) name = `${base} ${number}`;
    named.set(name, assertion);
  }
  return named;
}

/** The values that assertions compare with, by the names of the assertions. */
export function expectationsOf(assertions: unknown[]): Fields {
  const comparing = [...nameAssertions(assertions)].filter(([, assertion]) => {
    const type = textAt(assertion, 'type')?.replace(/^not-/, '') ?? '';
    return expectedTypes.includes(type) && assertion.value !== undefined;
  });
  return Object.fromEntries(comparing.map(([name, { value }]) => [name, value]));
}

function answerOf(row: Fields, isError: boolean): Pick<RecordFacts, 'outputs' | 'error'> {
  const output = valueAt(row, 'response', 'output') ?? valueAt(row, 'output') ?? row.text;
  const error = saidAt(row, 'error') ?? saidAt(row, 'response', 'error');
  if (output === undefined || output === null || isError)
    return {
      outputs: defined({ output: output ?? undefined }),
      error: error ?? 'There is no output.',
    };
  return { outputs: fieldsOf(output, 'output') };
}

function scoresOf(row: Fields, place: Place, lose: Reading['lose']): ScoreFacts[] {
  const reason = textAt(row, 'gradingResult', 'reason');
  const scores: ScoreFacts[] = [];
  if (typeof row.success === 'boolean')
    scores.push({ name: 'promptfoo pass', rule: 'share', value: row.success, reasoning: reason });
  const score = numberAt(row, 'score');
  if (score !== undefined)
    scores.push({ name: 'promptfoo score', rule: 'float', value: score, reasoning: reason });
  const named = new Map<string, number>();
  for (const component of listAt(row, 'gradingResult', 'componentResults')) {
    const base = textAt(component, 'assertion', 'metric') ?? textAt(component, 'assertion', 'type');
    if (base === undefined) continue;
    const number = (named.get(base) ?? 0) + 1;
    named.set(base, number);
    if (valueAt(component, 'metadata', 'graderError')) {
      lose(place, `The grader of ${JSON.stringify(base)} failed, which is no score.`);
      continue;
    }
    scores.push(...componentScores(number === 1 ? base : `${base} ${number}`, component));
  }
  for (const [name, given] of Object.entries(objectAt(row, 'namedScores') ?? {})) {
    const value = plainNumber(given);
    if (typeof value === 'number' && !named.has(name)) scores.push({ name, rule: 'float', value });
  }
  return scores;
}

/** A yes or no, and beside it the number where it says more. */
function componentScores(name: string, component: unknown): ScoreFacts[] {
  const reasoning = textAt(component, 'reason');
  const pass = valueAt(component, 'pass');
  const score = numberAt(component, 'score');
  return [
    ...(typeof pass === 'boolean'
      ? [{ name, rule: 'share' as const, value: pass, reasoning }]
      : []),
    ...(score === undefined || score === 0 || score === 1
      ? []
      : [{ name: `${name} score`, rule: 'float' as const, value: score, reasoning }]),
  ];
}
