import { appendFile, writeFile } from 'node:fs/promises';
import { type Client, createClient } from '@assay/client/client';
import { proxiedFetch } from '../proxied-fetch.ts';
import type { GateArguments } from './arguments.ts';
import { keepComment } from './comment.ts';
import { githubAnnotations } from './formats/github.ts';
import { harmlessLine } from './formats/harmless.ts';
import { jsonReport, planJson } from './formats/json.ts';
import { junitReport } from './formats/junit.ts';
import { markdownComment, markdownReport } from './formats/markdown.ts';
import { planTable } from './formats/plan.ts';
import { type Drawing, tableReport } from './formats/table.ts';
import { gate } from './gate.ts';
import { makePlan } from './plan.ts';
import { exitCodes, type Report } from './report.ts';

/**
 * How long a service that does not answer is asked again, and how long one answer may take: a
 * comparison of many records does.
 */
const patienceMs = 10_000;
const attemptTimeoutMs = 130_000;

const widthMin = 80;

/**
 * `npm run gate` and `assay gate`: the report goes to standard output or a file, the reason to
 * standard error, the outcome is the exit code.
 */
export async function runGate({
  url,
  key,
  format,
  output,
  summaryFile,
  comment,
  hasColours,
  question,
}: GateArguments): Promise<void> {
  const client = createClient({ url, key, fetch: proxiedFetch(), patienceMs, attemptTimeoutMs });
  const { isTTY, columns } = process.stdout;
  const drawing = {
    widthMax: Math.max(widthMin, isTTY ? columns : 0),
    isColored: isTTY && hasColours,
  };
  try {
    const answered = await answerGate(client, question, { format, drawing });
    const { table, wanted, exitCode, reason } = answered;
    if (output !== undefined) await write(output, wanted());
    if (summaryFile !== undefined) await tellGithub(summaryFile, answered.report);
    process.stdout.write(output === undefined ? wanted() : table());
    if (comment !== undefined && answered.report !== undefined)
      process.stderr.write(
        `${harmlessLine(await keepComment(comment, markdownComment(answered.report)))}\n`,
      );
    end(exitCode, reason);
  } catch (error) {
    end(exitCodes.unknown, `This did not work: ${(error as Error).message}`);
  }
}

interface Answer {
  exitCode: 0 | 1 | 2;
  reason: string;
  /** The outcome as a table, and in the format that is wanted. */
  table: () => string;
  wanted: () => string;
  /** Undefined for a plan. */
  report: Report | undefined;
}

/** Makes the comparison or the plan, and writes nothing. */
export async function answerGate(
  client: Client,
  question: GateArguments['question'],
  { format, drawing }: { format: GateArguments['format']; drawing: Drawing },
): Promise<Answer> {
  if (question.kind === 'plan') {
    const plan = await makePlan({ client, question: question.asked });
    const { exitCode, reason } = plan;
    const table = () => planTable(plan);
    const wanted = format === 'json' ? () => planJson(plan) : table;
    return { exitCode, reason, table, wanted, report: undefined };
  }
  const report = await gate({ client, question: question.asked });
  const { exitCode, reason } = report;
  const table = () => tableReport(report, drawing);
  const reports = { table, json: jsonReport, junit: junitReport, markdown: markdownReport };
  return { exitCode, reason, table, wanted: () => reports[format](report), report };
}

/** Adds to the page of the job, and annotates it. */
async function tellGithub(file: string, report: Report | undefined): Promise<void> {
  if (!report) return;
  await appendFile(file, markdownReport(report)).catch(unwritten(file));
  process.stdout.write(githubAnnotations(report));
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch(unwritten(file));
}

const unwritten =
  (file: string) =>
  ({ code, message }: NodeJS.ErrnoException): never => {
    throw new Error(`the report cannot be written to ${file} (${code ?? message}).`);
  };

function end(exitCode: number, sentence: string): void {
  process.stderr.write(`${harmlessLine(sentence)}\n`);
  process.exitCode = exitCode;
}
