import { open, rename, rm } from 'node:fs/promises';
import type { Client } from '@assay/client/client';
import { formatBytes } from '@assay/client/figures';
import type { QueryOf } from '@assay/client/operations';
import { type Command, Option } from 'commander';
import { CommandFailure, UsageFailure } from '../failure.ts';
import { findExportable } from '../lookup.ts';
import { type Context, type ProjectOptions, projectOption, withServer } from '../options.ts';

interface ExportOptions extends ProjectOptions {
  format: string;
  output?: string;
  attachments?: boolean;
}

const formatsOf = {
  run: ['ndjson', 'csv', 'parquet'],
  testset: ['ndjson', 'csv', 'json'],
  project: ['ndjson'],
};

type Format<Path extends string> =
  QueryOf<'GET', Path> extends { format?: infer Name } ? Name : never;

function openExport(
  client: Client,
  kind: keyof typeof formatsOf,
  { id, format, attachments }: { id: string; format: string; attachments: boolean },
): Promise<Response> {
  if (kind === 'run')
    return client.open('GET', runExport, {
      params: { runId: id },
      query: { format: format as Format<typeof runExport> },
    });
  if (kind === 'testset')
    return client.open('GET', testsetExport, {
      params: { testsetId: id },
      query: { format: format as Format<typeof testsetExport> },
    });
  return client.open('GET', '/projects/:projectId/export', {
    params: { projectId: id },
    query: attachments ? { attachments: 'include' } : {},
  });
}

const runExport = '/runs/:runId/records/export';
const testsetExport = '/testsets/:testsetId/testcases/export';

/** `assay export`: the records of a run, the testcases of a testset, or a whole project, as a stream. */
export function addExport(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('export')
      .description(
        'Write the records of a run with their scores, the testcases of a testset, or a whole project, which assay import takes.',
      )
      .argument('<run, testset or project>', 'its id or name')
      .addOption(projectOption())
      .addOption(
        new Option('--format <format>', 'parquet for runs only, json for testsets only')
          .choices(['ndjson', 'csv', 'parquet', 'json'])
          .default('ndjson'),
      )
      .option(
        '--attachments',
        'of a project: with the bytes of the attachments of its sessions, which may be large',
      )
      .option('--output <file>', 'write there, in place of standard output'),
    '{ kind, id, format, file, bytes } as JSON; only with --output',
  ).action(async (wanted: string, options: ExportOptions) => {
    const { url, json, project, format, output, attachments = false } = options;
    if (json && output === undefined)
      throw new UsageFailure('Error: --json needs --output FILE: standard output has the data.');
    const { client } = await connection.connect(url);
    const { kind, id } = await findExportable(client, wanted, project);
    if (!formatsOf[kind].includes(format))
      throw new UsageFailure(
        `Error: a ${kind} cannot be exported as ${format}: give --format ${formatsOf[kind].join(', ')}.`,
      );
    if (attachments && kind !== 'project')
      throw new UsageFailure(
        `Error: --attachments is for whole projects, and ${wanted} is a ${kind}: leave it out.`,
      );
    const { body } = await openExport(client, kind, { id, format, attachments });
    let bytes = 0;
    const counted = (async function* count() {
      for await (const chunk of body!) {
        bytes += chunk.length;
        if (output !== undefined) terminal.progress(formatBytes(bytes));
        yield chunk;
      }
    })();
    await withoutCut(async () => {
      if (output === undefined) for await (const chunk of counted) await terminal.write(chunk);
      else await writeWhole(output, counted);
    });
    if (output === undefined) return;
    terminal.say(`Written to ${output}.`);
    if (json) await terminal.printJson({ kind, id, format, file: output, bytes });
  });
}

/** An error of fetch's own in the middle of a body: the connection broke. */
async function withoutCut(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof TypeError)
      throw new CommandFailure('The connection broke, and the export is not whole: repeat it.');
    throw error;
  }
}

/** Writes beside the file first: a file of this name is always whole. */
async function writeWhole(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const unfinished = `${file}.part`;
  const handle = await open(unfinished, 'w');
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk);
    await handle.close();
    await rename(unfinished, file);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw error;
  }
}
