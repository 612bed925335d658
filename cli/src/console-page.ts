import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Client, listAll } from '@assay/client/client';
import type { Run } from '@assay/contracts/run-records';
import { consoleUrl } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { findProject } from './lookup.ts';
import type { Terminal } from './terminal.ts';

/** The address of a page of the console. */
export const pageOf = (url: string, path: string): string => `${consoleUrl(url)}${path}`;

/** Prints the address, and shows the page in a browser where somebody sits at a terminal. */
export async function openPage(
  terminal: Terminal,
  address: string,
  json: true | undefined,
): Promise<void> {
  if (json) return terminal.printJson({ url: address });
  await terminal.print([address]);
  await showInBrowser(terminal, address);
}

/** Shows a page in a browser where somebody sits at a terminal. */
export async function showInBrowser(terminal: Terminal, address: string): Promise<void> {
  if (!terminal.isInteractive) return;
  const program = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  const child = spawn(program, [address], { detached: true, stdio: 'ignore' });
  try {
    await once(child, 'spawn');
    child.unref();
  } catch {
    terminal.say('No browser was found here: open the address in one.');
  }
}

/**
 * The project of a run. No operation tells it, so the lists are asked; ids grow with time, so that each
 * list is read as far as the run only.
 */
export async function projectOfRun(
  client: Client,
  { id }: Pick<Run, 'id'>,
  wanted: string | undefined,
): Promise<string> {
  const projects =
    wanted === undefined ? await listAll(client, '/projects') : [await findProject(client, wanted)];
  for (const project of projects)
    for await (const run of client.list('/projects/:projectId/runs', {
      params: { projectId: project.id },
    })) {
      if (run.id === id) return project.id;
      if (run.id < id) break;
    }
  throw new CommandFailure(`The project of the run ${id} was not found: name it with --project.`);
}
