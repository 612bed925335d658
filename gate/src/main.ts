import { writeFile } from 'node:fs/promises';
import { createClient } from '@assay/client/client';
import { printable } from '@assay/client/printable';
import { readArguments } from './arguments.ts';
import { jsonReport } from './formats/json.ts';
import { junitReport } from './formats/junit.ts';
import { tableReport } from './formats/table.ts';
import { gate } from './gate.ts';
import { exitCodes } from './report.ts';

/**
 * How long a service that does not answer is asked again, and how long one answer may take: a
 * comparison of many records does.
 */
const patienceMs = 10_000;
const attemptTimeoutMs = 130_000;

const reports = { table: tableReport, json: jsonReport, junit: junitReport };

await run();

/**
 * `npm run gate`: the report goes to standard output or a file, the reason to standard error, the
 * outcome is the exit code.
 */
async function run(): Promise<void> {
  const { url, key, format, output, ...question } = readArguments(process.argv.slice(2));
  const client = createClient({ url, key, patienceMs, attemptTimeoutMs });
  try {
    const report = await gate({ client, question: { ...question, url } });
    if (output !== undefined) await write(output, reports[format](report));
    process.stdout.write(output === undefined ? reports[format](report) : tableReport(report));
    end(report.exitCode, report.reason);
  } catch (error) {
    end(exitCodes.unknown, `This did not work: ${(error as Error).message}`);
  }
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
