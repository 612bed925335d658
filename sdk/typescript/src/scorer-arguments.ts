import { didYouMean, nearNames } from '@assay/client/named';
import type { Json, Scorer, ScorerRecord, SystemError } from './evaluation.ts';
import { AssayError } from './failure.ts';

/** The parts of a record that a scorer may ask for. */
export interface ScoredRecord {
  inputs: Json;
  expected: Json;
  outputs: Json;
  metadata: Json;
  error?: SystemError;
}

/** The field of each part that a value without a name has. */
const fieldOf = { inputs: 'input', outputs: 'output', expected: 'expected' } as const;
const valueNames = ['input', 'output'];
const wholeNames = ['inputs', 'outputs'];
const names = ['inputs', 'outputs', 'expected', 'metadata', 'error'].concat([
  'input',
  'output',
  'reference',
  'referenceOutputs',
]);

/**
 * A record as a scorer sees it: `input`, `output` and `reference` are the values of a part's only
 * field. `expected` is such a value, too, where the scorer reads `input` or `output`, and neither
 * `inputs` nor `outputs`.
 */
export function argumentsOf(scorer: Scorer, record: ScoredRecord): ScorerRecord {
  const { inputs, outputs, expected, metadata, error } = record;
  const written = writtenNames(scorer);
  const read = new Set<string>();
  /** By the names that the scorer is written with, else by those that it has read by now. */
  const meansValues = () => {
    const said = written.some((name) => isPartName(name)) ? written : [...read];
    return (
      said.some((name) => valueNames.includes(name)) &&
      !said.some((name) => wholeNames.includes(name))
    );
  };
  const members: Record<string, () => unknown> = {
    inputs: () => inputs,
    outputs: () => outputs,
    expected: () => (meansValues() ? onlyValueOf(record, 'expected') : expected),
    metadata: () => metadata,
    ...(error ? { error: () => error } : {}),
    input: () => onlyValueOf(record, 'inputs'),
    output: () => onlyValueOf(record, 'outputs'),
    reference: () => onlyValueOf(record, 'expected'),
    referenceOutputs: () => expected,
  };
  const seen = {};
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(seen, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        read.add(name);
        return value();
      },
    });
  return seen as ScorerRecord;
}

const isPartName = (name: string): boolean =>
  valueNames.includes(name) || wholeNames.includes(name);

/** The value of a part's only field, else of the field of its name; else the part itself. */
function onlyValueOf(record: ScoredRecord, part: keyof typeof fieldOf): unknown {
  const fields = record[part];
  const values = Object.values(fields);
  if (values.length <= 1) return values[0] ?? null;
  const field = fieldOf[part];
  return Object.hasOwn(fields, field) ? fields[field] : fields;
}

/** Whether a scorer names `error` among its parameters. */
export function takesError(scorer: Scorer): boolean {
  const [parameters = ''] = /^[^=]*?\([^)]*\)|^[^=]*=>/.exec(String(scorer)) ?? [];
  return /\berror\b/.test(parameters);
}

/**
 * Refuses a scorer that takes its argument apart, and names nothing of it that is there, or
 * something that is near to it. Whatever else a function reads is not known before it is called.
 * @throws AssayError
 */
export function checkParameters(told: string, scorer: Scorer): void {
  const taken = requiredNames(scorer);
  const isOther = taken.length > 0 && !taken.some((name) => names.includes(name));
  for (const name of taken) {
    const near = names.includes(name) ? [] : nearNames(name, names);
    // Beside the name that it is near to, it may be another one.
    if (!isOther && (near[0] === undefined || taken.includes(near[0]))) continue;
    const advice = near.length > 0 ? `${didYouMean(near)} ` : '';
    throw new AssayError(
      `${told} has the parameter ${JSON.stringify(name)}, which nothing fills. ${advice}A scorer gets what it names of ${names.join(', ')}.`,
    );
  }
}

/** An object that is taken apart where a function begins: `async ({ output, expected }) =>`. */
const takenApart = /^[^({=]*\(\s*\{([^{}]*)\}/;

/** The names without a default in the parameter that is taken apart; none where it is not. */
function requiredNames(scorer: Scorer): string[] {
  const [, members = ''] = takenApart.exec(withoutComments(scorer)) ?? [];
  return members
    .split(',')
    .filter((member) => !/[=[\]()'"`]|\.\.\./.test(member))
    .map((member) => member.split(':')[0]!.trim())
    .filter((name) => name !== '');
}

/** The members of the record that the text of a scorer shows it to read. */
function writtenNames(scorer: Scorer): string[] {
  const text = withoutComments(scorer);
  const [, parameter] = takenApart.exec(text) ?? [];
  const patterns = parameter === undefined ? membersRead(text) : [parameter];
  return [...valueNames, ...wholeNames].filter((name) =>
    patterns.some((pattern) => new RegExp(`(^|[^\\w$.])${name}\\b`).test(pattern)),
  );
}

/** The members behind the name of the parameter, and objects that are taken out of it. */
function membersRead(text: string): string[] {
  const [, parameter] =
    /^(?:async\s+)?(?:function\b[^(]*|\w+\s*)?\(?\s*([\w$]+)\s*[),=]/.exec(text) ?? [];
  if (parameter === undefined) return [];
  const name = parameter.replaceAll('$', '\\$');
  const read = text.matchAll(new RegExp(`(?<![\\w$.])${name}\\s*\\??\\.\\s*(\\w+)`, 'g'));
  const taken = text.matchAll(new RegExp(`\\{([^{}]*)\\}\\s*=\\s*${name}(?![\\w$])`, 'g'));
  return [...read, ...taken].map(([, found]) => found!);
}

const withoutComments = (scorer: Scorer): string =>
  String(scorer).replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
