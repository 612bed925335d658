import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Connection } from './connection.ts';
import type { Terminal } from './terminal.ts';

/** The things that every command works with. */
export interface Context {
  terminal: Terminal;
  connection: Connection;
}

/** The options that every command has that asks a server for something. */
export interface ServerOptions {
  url?: string;
  json?: true;
}

/** Of commands with `projectOption`. */
export interface ProjectOptions extends ServerOptions {
  project?: string;
}

export const withServer = (command: Command, json: string): Command =>
  command
    .option('--url <url>', 'where Assay is (default: ASSAY_URL, else the last login)')
    .option('--json', `print ${json}`);

export const projectOption = (): Option =>
  new Option('--project <name>', 'the project, by name or id (default: the only one)');

export const errorsOption = (): Option =>
  new Option('--errors <counting>', 'whether errors count as the worst of each metric, or in none')
    .choices(['worst', 'exclude'])
    .default('worst');

/** Takes an option that can be given several times. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** A whole number in these bounds, both included. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
