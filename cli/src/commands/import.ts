import { writeFile } from 'node:fs/promises';
import { type Client, listAll } from '@assay/client/client';
import { formatBytes, whole } from '@assay/client/figures';
import { findNamed, isId, type Project, type Testset, unknownName } from '@assay/client/named';
import { printable } from '@assay/client/printable';
import type { ImportedAttachments } from '@assay/contracts/project-file';
import type { ImportMode } from '@assay/contracts/testcases';
import { detectSource, formats, readImport, whyNoFormat } from '@assay/import/formats';
import { readCategories } from '@assay/import/formats/categories';
import type { ImportOptions } from '@assay/import/item';
import { projectFileOf, sendProject } from '@assay/import/sending/project';
import { keepProject, knownProject, type ProjectTarget } from '@assay/import/sending/projects';
import { type ImportReport, lossSentence, reportLines } from '@assay/import/sending/report';
import { sendImport } from '@assay/import/sending/send';
import type { SourceFile } from '@assay/import/source';
import { type Command, Option } from 'commander';
import { CommandFailure, orUsage, UsageFailure } from '../failure.ts';
import { readRoles } from '../import/choices.ts';
import { openSource } from '../import/source.ts';
import { findProject } from '../lookup.ts';
import {
  type Context,
  collect,
  projectOption,
  type ServerOptions,
  withServer,
} from '../options.ts';

interface CommandOptions extends ServerOptions {
  as?: string;
  project?: string;
  createProject?: true;
  testset?: string;
  key?: string;
  role: string[];
  map: string[];
  mode?: ImportMode;
  dryRun?: true;
  strict?: true;
  report: string;
}

const help = `
A repeated import changes nothing: testcases are known by their key (rows without one by their content),
runs by their labels, records by their clientId. An import that was cut off is finished by repeating it.
What cannot be carried is listed at the end, and written to the report.

The file of \`assay export PROJECT\` becomes a new project, whole or not at all; --project names it.

  assay import questions.csv --project Support --key id
  assay import results.json --project Support --dry-run
  assay import logs/ --as inspect --project Support --strict
  assay import support.ndjson --project "Support, moved"

Formats: ${formats.map(({ name }) => name).join(', ')}.
docs/importing.md says where to get each file.`;

/** Things that an import has sent before it tells of them. */
const toldFrom = 100;

/**
 * `assay import`: the files of another tool as testsets, metrics, runs, records and scores; or an
 * exported project.
 */
export function addImport(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('import')
      .description(
        'Import the files of another tool, a table of testcases, or an exported project.',
      )
      .argument('<files...>', 'files, or folders, of one source')
      .addOption(
        new Option('--as <kind>', 'the format (default: told from the files)').choices(
          formats.map(({ name }) => name),
        ),
      )
      .addOption(projectOption())
      .option('--create-project', 'make the project where there is none of this name')
      .option('--testset <name>', 'the testset, by name or id (default: the name in the source)')
      .option('--key <column>', 'the column or field that identifies a testcase')
      .option(
        '--role <field=role>',
        'input, expected, metadata, output (its answers become a run) or ignored; repeatable',
        collect,
        [],
      )
      .option('--map <metric=words>', 'words that pass: tone=good,ok:bad; repeatable', collect, [])
      .addOption(
        new Option(
          '--mode <mode>',
          'for testcases: upsert follows their keys, sync also deletes all others of the testset, create adds them all (default: upsert)',
        ).choices(['create', 'upsert', 'sync']),
      )
      .option('--dry-run', 'store nothing, and say what an import would do')
      .option('--strict', 'end with 1 where something could not be carried')
      .option('--report <file>', 'where the report is written', 'import-report.json'),
    'the report as JSON',
  )
    .addHelpText('after', help)
    .action(async (paths: string[], options: CommandOptions) => {
      const reading: ImportOptions = {
        ...(options.key === undefined ? {} : { key: options.key }),
        roles: readRoles(options.role),
        categories: orUsage(() => readCategories(options.map)),
        importedAt: new Date().toISOString(),
      };
      const source = await openSource(paths);
      const projectFile = options.as === undefined ? await projectFileOf(source) : undefined;
      if (projectFile) return importProject(projectFile, options);
      const format = options.as ?? (await detectSource(source))?.format;
      if (format === undefined)
        throw (
          (await whyNoFormat(source)) ??
          new CommandFailure(
            `The format of ${paths.join(', ')} was not recognized: name it with --as, one of ${formats.map(({ name }) => name).join(', ')}.`,
          )
        );
      const { client, server } = await connection.connect(options.url);
      const dryRun = options.dryRun ?? false;
      const project = await projectOf(client, options);
      const testset = await testsetOf(client, project.found, options.testset);
      const name = testset?.name ?? options.testset;
      const sent = await sendImport({
        client: connection.patientClientOf(server),
        project: project.found,
        read: () =>
          readImport(format, source, { ...reading, ...(name === undefined ? {} : { name }) }),
        testset,
        isOneTestset: options.testset !== undefined,
        mode: options.mode,
        dryRun,
        progress: ({ kind, count }) => {
          // A small import is done before one has read of it.
          if (count >= toldFrom) terminal.progress(`${whole(count)} ${kind}`);
        },
      });
      const report: ImportReport = {
        dryRun,
        format,
        files: paths,
        project: project.report,
        ...sent,
      };
      await writeFile(options.report, `${JSON.stringify(report, null, 2)}\n`);
      if (options.json) await terminal.printJson(report);
      else await terminal.print(reportLines(report));
      sayLosses(report, options.report);
      if (options.strict && report.losses.length > 0) process.exitCode = 1;
    });

  async function importProject(file: SourceFile, options: CommandOptions): Promise<void> {
    const others = (['testset', 'key', 'mode', 'dryRun', 'strict'] as const).filter(
      (name) => options[name] !== undefined,
    );
    if (others.length > 0 || options.role.length > 0 || options.map.length > 0)
      throw new UsageFailure(
        `Error: ${file.name} is an exported project, which is imported as it is: give no options but --project for its new name.`,
      );
    const { client } = await connection.connect(options.url);
    const imported = await sendProject({ client, body: counted(file), name: options.project });
    if (options.json) return terminal.printJson(imported);
    const { run = 0, record = 0, testcase = 0, monitor = 0 } = imported.counts;
    await terminal.print([
      `Imported the project ${imported.projectId}: ${whole(run)} runs, ${whole(record)} records, ${whole(testcase)} testcases.`,
    ]);
    const { none = 0, imported: people = 0 } = imported.members;
    if (none > 0)
      terminal.say(
        `${whole(none)} members of the file are not in your organization: their scores stay, under an id that is nobody's.`,
      );
    if (people > 0)
      terminal.say(
        `${whole(people)} members of the file became people of their own: only a file that this server exported for your organization says who gave a score.`,
      );
    if (monitor > 0)
      terminal.say(`Monitors that came with it: ${whole(monitor)}, paused until you resume them.`);
    sayAttachments(imported.attachments);
  }

  function sayAttachments({
    attached,
    different,
    missing,
    missingAttachments,
  }: ImportedAttachments): void {
    if (attached > 0) terminal.say(`${whole(attached)} attachments came with it.`);
    if (different > 0)
      terminal.say(`${whole(different)} attachments are other files here, which stay as they are.`);
    if (missing === 0) return;
    terminal.say(
      `The bytes of ${whole(missing)} attachments are neither in the file nor here: export with --attachments to carry them.`,
    );
    for (const { sessionId, filePath, sizeBytes } of missingAttachments)
      terminal.say(printable(`  ${sessionId}: ${filePath} (${whole(sizeBytes)} bytes)`));
    const more = missing - missingAttachments.length;
    if (more > 0) terminal.say(`  and ${whole(more)} more`);
  }

  async function* counted(file: SourceFile) {
    let bytes = 0;
    for await (const chunk of file.open()) {
      bytes += chunk.length;
      terminal.progress(`${formatBytes(bytes)} of ${formatBytes(file.size)}`);
      yield chunk;
    }
  }

  function sayLosses({ losses }: ImportReport, file: string): void {
    if (losses.length === 0) {
      terminal.say(`Nothing was lost. The report is in ${file}.`);
      return;
    }
    const count = losses.reduce((sum, loss) => sum + loss.count, 0);
    terminal.say(`Not carried, or not as it was (${whole(count)} in all):`);
    for (const loss of losses.slice(0, lossesShown)) terminal.say(`  ${lossSentence(loss)}`);
    if (losses.length > lossesShown) terminal.say(`  and ${losses.length - lossesShown} more`);
    terminal.say(`All of it is in ${file}.`);
  }
}

const lossesShown = 20;

async function projectOf(
  client: Client,
  { project: wanted, createProject, dryRun }: CommandOptions,
): Promise<ProjectTarget> {
  if (wanted !== undefined && createProject)
    return keepProject(client, { wanted, dryRun: dryRun ?? false });
  return knownProject(await findProject(client, wanted, { canMake: true }));
}

/** The testset that is named; undefined where it is to be made under this name. */
async function testsetOf(
  client: Client,
  project: Project | undefined,
  wanted: string | undefined,
): Promise<Testset | undefined> {
  if (wanted === undefined || !project) return undefined;
  const testsets = await listAll(client, '/projects/:projectId/testsets', {
    params: { projectId: project.id },
  });
  const found = findNamed(testsets, { kind: 'testset', wanted });
  if (!found && isId(wanted))
    throw unknownName(
      { kind: 'testset', wanted },
      testsets.map(({ name }) => name),
    );
  return found;
}
