import { type Client, listAll } from '@assay/client/client';
import { whole } from '@assay/client/figures';
import { findRun } from '@assay/client/find';
import { findNamed, type Project, unknownName } from '@assay/client/named';
import type { Command } from 'commander';
import { UsageFailure } from '../failure.ts';
import { howToMake } from '../lookup.ts';
import { type Context, type ServerOptions, withServer } from '../options.ts';
import { type Bodies, readBodies } from '../project/bodies.ts';
import {
  bringUp,
  hasChanges,
  type MetricChange,
  type ProjectChanges,
  type TestsetChange,
} from '../project/changes.ts';
import { type MetricPreview, previewMetrics, previewSentence } from '../project/metric-previews.ts';
import { defaultFile, faultsFailure, readProjectFile } from '../project/read.ts';

interface PushOptions extends ServerOptions {
  file: string;
  createProject?: true;
  dryRun?: true;
  preview?: string;
  exitCode?: true;
}

const document = '{ dryRun, hasChanges, project, testsets, metrics, previews, notes } as JSON';

const help = `
  assay diff
  assay push --preview 019a9c1e-7d3a-7000-8000-0242ac120002

What the file does not say stays as it is on the server. Testcases are known by their key; \`mode: sync\` of a
testset also deletes those that its file does not have. A repeat changes nothing.`;

/** `assay diff` and `assay push`: a project's files against the server, and onto it. */
export function addPush(program: Command, { terminal, connection }: Context): void {
  const withFile = (command: Command) =>
    withServer(
      command
        .option('--file <file>', 'the file of the project', defaultFile)
        .option(
          '--preview <run>',
          'also score records of this run with each metric that changes; judges cost money',
        ),
      document,
    ).addHelpText('after', help);

  withFile(
    program
      .command('diff')
      .description('Say what a push of assay.yaml would change, and store nothing.')
      .option('--exit-code', 'end with 1 where something would change'),
  ).action((options: PushOptions) => push({ ...options, dryRun: true }));

  withFile(
    program
      .command('push')
      .description('Bring testsets, testcases and metrics of the server up to assay.yaml.')
      .option('--create-project', 'make the project where there is none of this name')
      .option('--dry-run', 'store nothing, as assay diff'),
  ).action(push);

  async function push(options: PushOptions): Promise<void> {
    const { url, json, dryRun = false, preview, exitCode } = options;
    const file = await readProjectFile(options.file);
    const bodies = await readBodies(file);
    const { server } = await connection.connect(url);
    const client = connection.patientClientOf(server);
    const project = await projectOf(client, file.definition.project, options, bodies);
    const planned = { client, project, file, bodies, progress: terminal.progress };
    let previews: MetricPreview[] = [];
    if (preview !== undefined) {
      if (!project)
        throw new UsageFailure(
          'Error: --preview needs a run of the project, which is not there yet.',
        );
      const changes = await bringUp({
        ...planned,
        bodies: { ...bodies, testsets: [] },
        dryRun: true,
      });
      const { id: runId } = await findRun({ client, wanted: preview, project: project.id });
      previews = await previewMetrics({ client, projectId: project.id, runId, bodies, changes });
    }
    const changes = await bringUp({ ...planned, dryRun });
    const isChanged = hasChanges(changes);
    const { definition } = file;
    const named = { id: project?.id ?? null, name: definition.project };
    if (json)
      await terminal.printJson({
        dryRun,
        hasChanges: isChanged,
        project: named,
        ...changes,
        previews,
      });
    else await terminal.print([...linesOf(changes, dryRun), ...previews.map(previewSentence)]);
    for (const note of changes.notes) terminal.say(note);
    if (!isChanged) terminal.say('Nothing changes: the server is as the files say.');
    else if (dryRun) terminal.say('Nothing was stored: assay push stores it.');
    if (exitCode && isChanged) process.exitCode = 1;
    if (changes.testsets.some(({ testcases }) => testcases.refused > 0)) process.exitCode = 2;
  }

  async function projectOf(
    client: Client,
    wanted: string,
    { createProject, dryRun }: PushOptions,
    { faults }: Bodies,
  ): Promise<Project | undefined> {
    const projects = await listAll(client, '/projects');
    const found = findNamed(projects, { kind: 'project', wanted });
    if (found) return found;
    if (dryRun) {
      terminal.say(`There is no project "${wanted}" yet: assay push --create-project makes it.`);
      return undefined;
    }
    if (!createProject)
      throw unknownName(
        { kind: 'project', wanted, remedy: howToMake },
        projects.map(({ name }) => name),
      );
    // Files that cannot be pushed leave no empty project behind.
    if (faults.length > 0) throw faultsFailure(faults);
    return client.request('POST', '/projects', {
      body: { name: wanted, description: '' },
    });
  }
}

function linesOf({ testsets, metrics }: ProjectChanges, dryRun: boolean): string[] {
  return [
    ...testsets.flatMap((testset) => testsetLines(testset, dryRun)),
    ...metrics.map((metric) => metricLine(metric, dryRun)),
  ];
}

function testsetLines(
  { name, isNew, changes, testcases, newlyInvalid, examples }: TestsetChange,
  dryRun: boolean,
): string[] {
  const { created, updated, unchanged, deleted, refused, invalid } = testcases;
  const counts = Object.entries({
    new: created,
    changed: updated,
    unchanged,
    deleted,
    refused,
    'against the schema': invalid,
  }).filter(([, count]) => count > 0);
  const parts = [
    ...(isNew ? [dryRun ? 'to be made' : 'new'] : []),
    ...changes.map((field) => `${field} ${field.includes(' and ') ? 'change' : 'changes'}`),
    `testcases: ${counts.map(([word, count]) => `${whole(count)} ${word}`).join(', ') || 'none'}`,
  ];
  const become = dryRun ? 'would become' : 'became';
  return [
    `Testset "${name}": ${parts.join('; ')}`,
    ...(newlyInvalid > 0
      ? [`  ${whole(newlyInvalid)} testcases ${become} invalid by the schema:`]
      : []),
    ...examples.map(({ testcaseId, message }) => `  ${testcaseId}: ${message}`),
  ];
}

function metricLine({ name, isNew, changes, isNewVersion }: MetricChange, dryRun: boolean): string {
  if (isNew) return `Metric "${name}": ${dryRun ? 'to be made' : 'new'}`;
  if (changes.length === 0) return `Metric "${name}": unchanged`;
  const version = isNewVersion ? 'a new version' : 'the same version';
  return `Metric "${name}": ${version}; ${changes.join(', ')}`;
}
