import { readFile, stat } from 'node:fs/promises';

export const models = [
  '6b_finetuning',
  '6b_verification',
  '175b_finetuning',
  '175b_verification',
] as const;
export type Model = (typeof models)[number];

/** A problem with its reference solution, and the answer of each model. */
export interface Problem extends Record<Model, { is_correct: boolean; solution: string }> {
  question: string;
  ground_truth: string;
}

const problemCount = 1319;

// The published file has 2.5 MB and lines of up to 4.5 KB; 100 lines must fit one request of 4 MiB.
const fileBytesMax = 16 * 1024 * 1024;
const lineCharactersMax = 32 * 1024;

/**
 * Reads the published GSM8K model solutions, all of them. Throws one sentence that names the fault
 * in the file and its place.
 */
export async function readSolutions(path: string): Promise<Problem[]> {
  const text = await readText(path);
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (lines.length === 0)
    throw new Error(`${path} is empty: the GSM8K model solutions have ${problemCount} lines.`);
  const problems = lines.map((line, index) =>
    readLine({ path, line, number: index + 1, isLast: index === lines.length - 1 }),
  );
  if (problems.length < problemCount) {
    throw new Error(
      `${path} ends after line ${problems.length} of ${problemCount}: it is truncated.`,
    );
  }
  if (problems.length > problemCount) {
    throw new Error(
      `${path}, line ${problemCount + 1}: the GSM8K model solutions have ${problemCount} lines, this file has ${problems.length}.`,
    );
  }
  return problems;
}

async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code
      ? new Error(`${path} cannot be read: ${reasons[error.code] ?? error.code}.`)
      : error;
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${path}, line ${lineOfFault(bytes)}: this is not UTF-8 text.`);
  }
}

async function readBytes(path: string): Promise<Buffer> {
  const about = await stat(path);
  if (about.isDirectory()) throw new Error(`${path} cannot be read: it is a folder.`);
  if (!about.isFile()) throw new Error(`${path} cannot be read: it is not a file.`);
  if (about.size > fileBytesMax)
    throw new Error(`${path} is not the file of GSM8K model solutions: it has more than 16 MiB.`);
  return readFile(path);
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
};

/** The first line that is no UTF-8 by itself: a line break is never part of another character. */
function lineOfFault(bytes: Buffer): number {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let [number, start] = [1, 0]; ; number++) {
    const end = bytes.indexOf(0x0a, start);
    try {
      decoder.decode(bytes.subarray(start, end < 0 ? undefined : end));
    } catch {
      return number;
    }
    if (end < 0) return number;
    start = end + 1;
  }
}

function readLine({
  path,
  line,
  number,
  isLast,
}: {
  path: string;
  line: string;
  number: number;
  isLast: boolean;
}): Problem {
  const fault = (what: string) => new Error(`${path}, line ${number}: ${what}.`);
  if (line.length > lineCharactersMax)
    throw fault('this is no GSM8K model solution, it is longer than 32,768 characters');
  if (line.trim() === '') throw fault('this line is empty');
  const value = parse(line);
  if (value === undefined)
    throw fault(
      isLast && number < problemCount ? 'the file is cut off in this line' : 'this is not JSON',
    );
  const problem = findFault(value);
  if (problem) throw fault(problem);
  return value as Problem;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** True if a number follows the last "A:": the solutions are compared by that number. */
const endsInAnswer = (solution: string): boolean => /A:\s*[-+]?\$?\.?\d[^:]*$/.test(solution);

function findFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'this is not a JSON object';
  const { question, ground_truth: truth, ...answers } = value as Record<string, unknown>;
  if (!isText(question)) return '"question" is missing or not a text';
  if (!isText(truth)) return '"ground_truth" is missing or not a text';
  if (!endsInAnswer(truth)) return '"ground_truth" has no number after "A:"';
  const model = models.find((name) => !isAnswer(answers[name]));
  return model && `"${model}" is missing or has no "solution" and "is_correct"`;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function isAnswer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { solution, is_correct: isCorrect } = value as Record<string, unknown>;
  return typeof solution === 'string' && typeof isCorrect === 'boolean';
}
