import { isObject } from '@assay/json/value';
import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import { ImportFailure } from '../failure.ts';
import type { Item, Reading } from '../item.ts';
import { checkJoin } from '../reading/join.ts';
import { readJson, readWholeJson } from '../reading/json-stream.ts';
import { only, textAt, without } from '../reading/json-values.ts';
import { has, sketchOf } from '../reading/sketch.ts';
import { readHead, type SourceFile, stemOf } from '../source.ts';

/** Stands between the SQL of a prediction and its database. */
const mark = '----- bird -----';

/** Questions of BIRD, and predictions of them: `{ "<question>": "<sql>\t----- bird -----\t<db>" }`. */
async function* items(reading: Reading): AsyncGenerator<Item> {
  const { source, options, lose } = reading;
  const predictions: SourceFile[] = [];
  const questions: SourceFile[] = [];
  for (const file of source.files)
    (isPredictions(await readHead(file)) ? predictions : questions).push(file);
  if (predictions.length > 0) checkJoin(source.files);
  const known = new Map<string, NonNullable<Item['testcase']>>();
  const first = questions[0]?.name ?? source.name;
  const testset = { id: first, name: options.name ?? stemOf(first) };
  for (const file of questions)
    for await (const part of readJson(file, { lists: [''], lose })) {
      if (part.kind !== 'element' || !isObject(part.value)) continue;
      const testcase = questionOf(part.value, part.index);
      if (predictions.length > 0) known.set(testcase.key!, testcase);
      yield { place: part.place, testset, testcase };
    }
  for (const file of predictions)
    for (const item of predictionsOf(await readWholeJson(file, lose), file, known))
      yield { ...item, testset };
}

function questionOf(row: Fields, index: number): NonNullable<Item['testcase']> {
  const id = textAt(row, 'question_id') ?? String(index);
  return {
    key: id,
    inputs: only(row, 'question', 'evidence', 'db_id'),
    expected: only(row, 'SQL'),
    metadata: { ...without(row, 'question', 'evidence', 'db_id', 'SQL'), importedId: id },
  };
}

function* predictionsOf(
  value: unknown,
  file: SourceFile,
  known: Map<string, NonNullable<Item['testcase']>>,
): Generator<Item> {
  for (const [id, text] of Object.entries(isObject(value) ? value : {})) {
    const place = { file: file.name, at: `/${id}` };
    const testcase = known.get(id);
    if (!testcase)
      throw new ImportFailure(
        place,
        'predicts a question that is not there: import the file of the questions with it.',
      );
    const [sql = '', database] = String(text)
      .split(mark)
      .map((part) => part.trim());
    yield {
      place,
      testcase,
      run: { id: file.name, name: stemOf(file.name) },
      record: { id, outputs: { SQL: sql, ...(database ? { db_id: database } : {}) } },
    };
  }
}

const isPredictions = (head: Uint8Array): boolean => sketchOf(head).text.includes(mark);

export const bird = defineFormat({
  name: 'bird',
  title: 'BIRD questions and predictions',
  detect(head) {
    if (isPredictions(head)) return 0.9;
    return has(sketchOf(head), 'question', 'db_id', 'SQL') ? 0.9 : 0;
  },
  items,
});
