import type { Entity, LossEntity, RecordEntity, TestsetEntity } from '@assay/import/entity';
import { isRowKey } from '@assay/import/sending/row-key';
import { writeJson } from '@assay/json/write';

export type Loss = Pick<LossEntity, 'place' | 'reason' | 'count'>;

/** A column or field of a table, with the role that its name suggests. */
export interface Column {
  name: string;
  role: 'input' | 'expected' | 'metadata' | 'output';
  /** Its value in the first testcase, as text. */
  example: string;
}

export interface FoundTestset {
  ref: string;
  name: string;
  testcases: number;
}

const counted = ['testcase', 'metric', 'system', 'run', 'record', 'score', 'annotation'] as const;
type CountedKind = (typeof counted)[number];

/** The contents of a source, as a person wants to see them before an import. */
export interface Overview {
  testsets: FoundTestset[];
  counts: Record<CountedKind, number>;
  /** Of all testsets, in the order in which they come first. */
  columns: Column[];
  /** Whether testcases have keys of their own. */
  hasKeys: boolean;
  losses: Loss[];
}

const exampleCharactersMax = 120;

/** Reads all entities of a source, and counts them. */
export async function overviewOf(entities: AsyncIterable<Entity>): Promise<Overview> {
  const testsets = new Map<string, FoundTestset>();
  const columns = new Map<string, Column>();
  const counts = Object.fromEntries(counted.map((kind) => [kind, 0])) as Overview['counts'];
  const losses: Loss[] = [];
  const answers = new Map<string, Column>();
  let hasKeys = false;
  for await (const entity of entities) {
    if (entity.kind === 'testset') {
      testsets.set(entity.ref, { ref: entity.ref, name: entity.name, testcases: 0 });
      for (const column of columnsOf(entity))
        if (!columns.has(column.name)) columns.set(column.name, column);
    } else if (entity.kind === 'loss') {
      const { place, reason, count } = entity;
      losses.push({ place, reason, count });
    } else counts[entity.kind] += 1;
    if (entity.kind === 'run' && entity.column !== undefined)
      answers.set(entity.ref, { name: entity.column, role: 'output', example: '' });
    const answered = entity.kind === 'record' ? answers.get(entity.run) : undefined;
    if (entity.kind === 'record' && answered?.example === '')
      answered.example = exampleOf(answerOf(entity.outputs));
    if (entity.kind !== 'testcase') continue;
    hasKeys ||= entity.key !== undefined && !isRowKey(entity.key);
    const testset = testsets.get(entity.testset)!;
    testset.testcases += 1;
    if (testset.testcases > 1) continue;
    for (const [name, value] of Object.entries(entity.jsonData)) {
      const column = columns.get(name);
      if (column && column.example === '') column.example = exampleOf(value);
    }
  }
  return {
    testsets: [...testsets.values()],
    counts,
    columns: [...columns.values(), ...answers.values()],
    hasKeys,
    losses,
  };
}

const columnsOf = ({ fieldMapping: { inputs, expected, metadata } }: TestsetEntity): Column[] =>
  Object.entries({ input: inputs, expected, metadata }).flatMap(([role, names]) =>
    names.map((name) => ({ name, role: role as Column['role'], example: '' })),
  );

/** An answer as it stood in the table. */
const answerOf = ({ output, ...others }: RecordEntity['outputs']): unknown =>
  output === undefined || Object.keys(others).length > 0 ? { output, ...others } : output;

function exampleOf(value: unknown): string {
  const text = typeof value === 'string' ? value : writeJson(value);
  return text.length > exampleCharactersMax ? `${text.slice(0, exampleCharactersMax)} …` : text;
}
