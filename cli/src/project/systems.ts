import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseByValue } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import { readConfig } from '@assay/runtime/config';
import type { System } from '@assay/sdk/evaluation';
import { asReaderOfJson } from '@assay/sdk/exact-numbers';
import { z } from 'zod';
import { CommandFailure } from '../failure.ts';
import { proxiedFetch } from '../proxied-fetch.ts';
import { commandSystem } from './command-system.ts';
import type { EvaluationSource } from './definition.ts';
import type { ProjectFile } from './read.ts';
import { findPackage, typescriptAdvice } from './scripts.ts';

/** The system of an evaluation, ready to be called, and its end. */
export interface RunningSystem {
  system: System;
  stop(): void;
}

const idle = () => undefined;

/** @throws CommandFailure for a module that cannot be loaded, and a variable that is not set. */
export async function openSystem(
  file: ProjectFile,
  name: string,
  say: (sentence: string) => void,
): Promise<RunningSystem> {
  const { system } = file.definition.evaluations[name]!;
  const place = file.placeOf(['evaluations', name, 'system']);
  if ('command' in system)
    return commandSystem({ command: system.command, folder: resolve(file.folder), say });
  if ('http' in system) return { system: httpSystem(system.http, place), stop: idle };
  return { system: await loadModule(system, file, place), stop: idle };
}

async function loadModule(
  { module, export: exported }: Extract<EvaluationSource['system'], { module: string }>,
  file: ProjectFile,
  place: string,
): Promise<System> {
  const path = resolve(file.folder, module);
  let loaded: Record<string, unknown>;
  try {
    loaded = await importModule(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      code === 'ERR_UNKNOWN_FILE_EXTENSION'
        ? `${place}: this Node.js does not run ${module}: ${typescriptAdvice}, or name a file that ends in .mjs.`
        : `${place}: ${module} cannot be loaded: ${message.split('\n')[0]}`,
    );
  }
  const found = loaded[exported];
  if (typeof found === 'function') return found as System;
  throw new CommandFailure(`${place}: ${module} has no function as its export "${exported}".`);
}

/** A module of TypeScript is loaded by the hooks of tsx, where that is installed beside it. */
async function importModule(path: string): Promise<Record<string, unknown>> {
  const tsx = /ts$/.test(path) ? findPackage(path, 'tsx') : undefined;
  if (tsx !== undefined) await import(pathToFileURL(tsx).href);
  return import(pathToFileURL(path).href);
}

/** The answer of a system by HTTP that has no outputs: its status tells whether it is a limit. */
class HttpRefusal extends Error {
  override name = 'HttpRefusal';
  readonly status: number;
  /** Of which `Retry-After` says when to ask again. */
  readonly headers: Headers;

  constructor(url: string, { status, headers }: Response, text: string) {
    super(`${url} answered ${status}: ${text.slice(0, 500)}`);
    this.status = status;
    this.headers = headers;
  }
}

/** Posts the inputs as JSON; the reply's JSON are the outputs. */
function httpSystem(
  { url, headers }: { url: string; headers: Record<string, string> },
  place: string,
): System {
  const filled = Object.fromEntries(
    Object.entries(headers).map(([header, text]) => [header, withVariables(text, place)]),
  );
  return asReaderOfJson(async (inputs, { signal }) => {
    const response = await proxiedFetch()(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...filled },
      body: writeJson(inputs),
      signal,
    });
    const text = await response.text();
    if (!response.ok) throw new HttpRefusal(url, response, text);
    try {
      return parseByValue(text);
    } catch {
      throw new Error(`${url} answered no JSON: ${text.slice(0, 500)}`);
    }
  });
}

/** Replaces `${NAME}` by the variable of the environment. */
function withVariables(text: string, place: string): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = readConfig({ [name]: z.string().optional() })[name];
    if (value !== undefined) return value;
    throw new CommandFailure(`${place}: the variable ${name} of a header is not set.`);
  });
}
