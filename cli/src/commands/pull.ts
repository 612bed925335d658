import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { readTextFile } from '@assay/sdk/text-file';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { findProject } from '../lookup.ts';
import { type Context, type ServerOptions, withServer } from '../options.ts';
import { firstFile } from '../project/first-file.ts';
import { readServerFiles } from '../project/pulled.ts';
import { defaultFile, parseProjectFile, readProjectFile } from '../project/read.ts';

interface PullOptions extends ServerOptions {
  file: string;
  project?: string;
  force?: true;
}

const help = `
Testsets and metrics are those that the file names. Where there is no file yet, --project makes one that
names all of a project. A file with changes that git does not have is left as it
is, and nothing is written then: commit it, or give --force.`;

/** `assay pull`: the files of a project, as the server has it now. */
export function addPull(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('pull')
      .description('Bring assay.yaml and the files that it names up to the server.')
      .option('--file <file>', 'the file of the project', defaultFile)
      .option('--project <name>', 'make the file for this project, which has none here yet')
      .option('--force', 'overwrite files with changes of their own'),
    '{ project, written, notes } as JSON',
  )
    .addHelpText('after', help)
    .action(async ({ url, json, file: name, project: wanted, force }: PullOptions) => {
      const own = wanted === undefined ? await readProjectFile(name) : await noFile(name);
      const { client } = await connection.connect(url);
      const project = await findProject(client, own?.definition.project ?? wanted);
      const first = own ? undefined : await firstFile(client, project);
      const file = own ?? parseProjectFile(name, first!.text);
      const pulled = await readServerFiles({ client, project, file });
      const { files } = pulled;
      const notes = [...(first?.notes ?? []), ...pulled.notes];
      const changed: [path: string, text: string][] = [];
      const inTheWay: string[] = [];
      for (const [path, text] of files) {
        const own = await readTextFile(path).catch(absent);
        if (own === text) continue;
        changed.push([path, text]);
        if (own !== undefined && !force && !(await isCommitted(path))) inTheWay.push(path);
      }
      if (inTheWay.length > 0)
        throw new CommandFailure(
          `${inTheWay.join(', ')} would be overwritten, and git does not have what is in there: commit it, or give --force.`,
        );
      for (const [path, text] of changed) {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text);
      }
      const written = changed.map(([path]) => path);
      for (const note of notes) terminal.say(note);
      if (json) return terminal.printJson({ project, written, notes });
      await terminal.print(written);
      if (written.length === 0)
        terminal.say('Nothing changes: the files are as the server has it.');
    });
}

/** @throws CommandFailure where the file is there already. */
async function noFile(name: string): Promise<undefined> {
  const isThere = (await readFile(name).catch(absent)) !== undefined;
  if (isThere)
    throw new CommandFailure(
      `${name} is there already: leave out --project to bring it up to the server, or name another with --file.`,
    );
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const run = promisify(execFile);

/** Whether git has the file as it is, so that nothing is lost. */
async function isCommitted(path: string): Promise<boolean> {
  try {
    const options = { cwd: dirname(path), timeout: 10_000 };
    const own = ['--', path.slice(dirname(path) === '.' ? 0 : dirname(path).length + 1)];
    await run('git', ['ls-files', '--error-unmatch', ...own], options);
    const { stdout } = await run('git', ['status', '--porcelain', ...own], options);
    return stdout === '';
  } catch {
    return false;
  }
}
