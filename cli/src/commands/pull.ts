import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { findProject } from '../lookup.ts';
import { type Context, type ServerOptions, withServer } from '../options.ts';
import { readServerFiles } from '../project/pulled.ts';
import { defaultFile, readProjectFile } from '../project/read.ts';

interface PullOptions extends ServerOptions {
  file: string;
  force?: true;
}

const help = `
Testsets and metrics are those that the file names. A file with changes that git does not have is left as it
is, and nothing is written then: commit it, or give --force.`;

/** `assay pull`: the files of a project, as the server has it now. */
export function addPull(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('pull')
      .description('Bring assay.yaml and the files that it names up to the server.')
      .option('--file <file>', 'the file of the project', defaultFile)
      .option('--force', 'overwrite files with changes of their own'),
    '{ project, written, notes } as JSON',
  )
    .addHelpText('after', help)
    .action(async ({ url, json, file: name, force }: PullOptions) => {
      const file = await readProjectFile(name);
      const { client } = await connection.connect(url);
      const project = await findProject(client, file.definition.project);
      const { files, notes } = await readServerFiles({ client, project, file });
      const changed: [path: string, text: string][] = [];
      const inTheWay: string[] = [];
      for (const [path, text] of files) {
        const own = await readFile(path, 'utf8').catch(absent);
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
