import { writeFile } from 'node:fs/promises';
import { type Client, createClient } from '@assay/client/client';
import { printable } from '@assay/client/printable';
import { type GateArguments, type GateOptions, readArguments } from './arguments.ts';
import { jsonReport, planJson } from './formats/json.ts';
import { junitReport } from './formats/junit.ts';
import { planTable } from './formats/plan.ts';
import { tableReport } from './formats/table.ts';
import { gate } from './gate.ts';
import { makePlan } from './plan.ts';
import { exitCodes } from './report.ts';

/**
 * How long a service that does not answer is asked again, and how long one answer may take: a
 * comparison of many records does.
 */
const patienceMs = 10_000;
const attemptTimeoutMs = 130_000;

const reports = { table: tableReport, json: jsonReport, junit: junitReport };

/**
 * `npm run gate` and `assay gate`: the report goes to standard output or a file, the reason to
 * standard error, the outcome is the exit code.
 */
export async function runGate(argv: readonly string[], options: GateOptions): Promise<void> {
  const { url, key, format, output, question } = readArguments(argv, options);
  const client = createClient({ url, key, patienceMs, attemptTimeoutMs });
  try {
    const { table, wanted, exitCode, reason } = await answer(client, question, format);
    if (output !== undefined) await write(output, wanted());
    process.stdout.write(output === undefined ? wanted() : table());
    end(exitCode, reason);
  } catch (error) {
    end(exitCodes.unknown, `This did not work: ${(error as Error).message}`);
  }
}

/** The outcome with its report: as a table, and in the format that is wanted. */
async function answer(
  client: Client,
  question: GateArguments['question'],
  format: GateArguments['format'],
) {
  if (question.kind === 'plan') {
    const report = await makePlan({ client, question: question.asked });
    const table = () => planTable(report);
    return { ...report, table, wanted: format === 'json' ? () => planJson(report) : table };
  }
  const report = await gate({ client, question: question.asked });
  return {
    ...report,
    table: () => tableReport(report),
    wanted: () => reports[format](report),
  };
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch(({ code, message }: NodeJS.ErrnoException) => {
    throw new Error(`the report cannot be written to ${file} (${code ?? message}).`);
  });
}

function end(exitCode: number, sentence: string): void {
  process.stderr.write(`${printable(sentence)}\n`);
  process.exitCode = exitCode;
}
