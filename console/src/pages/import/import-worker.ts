import { type Client, createClient, RequestFailure } from '@assay/client/client';
import type { Entity } from '@assay/import/entity';
import { ImportFailure } from '@assay/import/failure';
import { detectSource, formats, readImport, whyNoFormat } from '@assay/import/formats';
import { readCategories } from '@assay/import/formats/categories';
import type { ImportOptions } from '@assay/import/item';
import { projectFileOf, sendProject } from '@assay/import/sending/project';
import { keepProject, knownProject, type ProjectTarget } from '@assay/import/sending/projects';
import { sendImport } from '@assay/import/sending/send';
import { fileOfBlob, type Source, type SourceFile } from '@assay/import/source';
import type { FormatName, Reading, Results, Task, TaskFailure, WorkerMessage } from './messages.ts';
import { overviewOf } from './overview.ts';

/** How long a service that is away is asked again, and how long one answer may take. */
const patienceMs = 30_000;
const attemptTimeoutMs = 130_000;

let renewal: PromiseWithResolvers<void> | undefined;

/** The session's second secret in its header: a worker cannot look it up. */
let sessionHeaders: Record<string, string>;

interface FromPage {
  task?: Task;
  headers: Record<string, string>;
}

/** The first message has the task. A later one says that somebody has signed in again. */
addEventListener('message', ({ data }: MessageEvent<FromPage>) => {
  sessionHeaders = data.headers;
  if (data.task) return void perform(data.task);
  renewal?.resolve();
  renewal = undefined;
});

const say = (said: WorkerMessage): void => postMessage(said);

async function perform(task: Task): Promise<void> {
  try {
    say({ kind: 'done', result: await resultOf(task) });
  } catch (error) {
    say({ kind: 'failed', failure: failureOf(error as Error) });
  }
}

function resultOf(task: Task): Promise<Results[keyof Results]> {
  switch (task.kind) {
    case 'tell':
      return tell(task);
    case 'look':
      return look(task);
    case 'send':
      return send(task);
    case 'send project':
      return sendProject({ client: clientOf(task.url), body: task.file, name: task.name });
  }
}

type TaskOf<Kind extends Task['kind']> = Extract<Task, { kind: Kind }>;

/** The formats that the import of a testset reads itself. */
const tables = ['csv', 'json', 'jsonl'];

async function tell({ files }: TaskOf<'tell'>): Promise<Results['tell']> {
  const source = sourceOf({ name: '', files });
  if (await projectFileOf(source)) return { name: 'project', title: 'A project of Assay' };
  const { format } = (await detectSource(source)) ?? {};
  return format === undefined || tables.includes(format) ? undefined : nameOf(format);
}

async function look({ reading, ...picked }: TaskOf<'look'>): Promise<Results['look']> {
  const source = sourceOf(picked, countBytes());
  if (reading.format === undefined && (await projectFileOf(source))) return { kind: 'project' };
  const format = reading.format ?? (await detectSource(source))?.format;
  const names = formats.map(({ name }) => nameOf(name));
  if (format === undefined) {
    const why = await whyNoFormat(source);
    if (why) throw why;
    return { kind: 'unknown', formats: names };
  }
  return {
    kind: 'source',
    format: nameOf(format),
    isTable: formats.some(({ name, isTable }) => name === format && isTable),
    overview: await overviewOf(readImport(format, source, optionsOf(reading))),
    formats: names,
  };
}

async function send(task: TaskOf<'send'>): Promise<Results['send']> {
  const { reading, names, target, metricIds, url } = task;
  const format = reading.format!;
  const source = sourceOf(task);
  const options = { ...optionsOf(reading), importedAt: new Date().toISOString() };
  const client = clientOf(url);
  const read = () => renamed(readImport(format, source, options), names);
  const project =
    target.id === undefined ? await newProject(client, target.name, read) : knownProject(target);
  const sent = await sendImport({
    client,
    project: project.found,
    read,
    testset: undefined,
    isOneTestset: false,
    mode: undefined,
    dryRun: false,
    metricIds,
    progress: (progress) => say({ kind: 'sent', progress }),
  });
  const files = task.files.map(({ name }) => name);
  return { dryRun: false, format, files, project: project.report, ...sent };
}

/** Makes a project, unless there is one of the name, for a source that can be read to its end. */
async function newProject(
  client: Client,
  wanted: string,
  read: () => AsyncGenerator<Entity>,
): Promise<ProjectTarget> {
  await read().next();
  return keepProject(client, { wanted, dryRun: false });
}

async function* renamed(
  entities: AsyncIterable<Entity>,
  names: Record<string, string>,
): AsyncGenerator<Entity> {
  for await (const entity of entities)
    yield entity.kind === 'testset' && Object.hasOwn(names, entity.ref)
      ? { ...entity, name: names[entity.ref]! }
      : entity;
}

function nameOf(format: string): FormatName {
  const { name, title } = formats.find(({ name }) => name === format)!;
  return { name, title };
}

function optionsOf({ roles, key, words = '' }: Reading): ImportOptions {
  const lines = words.split('\n').flatMap((line) => line.trim() || []);
  return {
    ...(roles ? { roles } : {}),
    ...(key === undefined ? {} : { key }),
    categories: readCategories(lines),
  };
}

const sourceOf = (
  { name, files }: Pick<TaskOf<'look'>, 'name' | 'files'>,
  counted: (file: SourceFile) => SourceFile = (file) => file,
): Source => ({ name, files: files.map(({ name, file }) => counted(fileOfBlob(name, file))) });

/** Bytes after which it is said again how much has been read. */
const toldBytes = 1024 * 1024;

/** Says how much has been read. */
function countBytes(): (file: SourceFile) => SourceFile {
  let bytes = 0;
  let told = 0;
  return (file) => ({
    ...file,
    async *open(start, end) {
      for await (const chunk of file.open(start, end)) {
        bytes += chunk.length;
        if (bytes - told >= toldBytes) {
          say({ kind: 'read', bytes });
          told = bytes;
        }
        yield chunk;
      }
    },
  });
}

const clientOf = (url: string) =>
  createClient({
    url,
    fetch: fetchInSession,
    patienceMs,
    attemptTimeoutMs,
    onWait: () => say({ kind: 'waiting' }),
  });

/** Asks by the session of this browser. Where it has ended, the person signs in again first. */
async function fetchInSession(url: string, init: RequestInit): Promise<Response> {
  const asked = () => ({ ...init, headers: { ...init.headers, ...sessionHeaders } });
  const response = await fetch(url, asked());
  if (response.status !== 401) return response;
  renewal ??= Promise.withResolvers();
  say({ kind: 'signed out' });
  await renewal.promise;
  // The time of the first try went by while somebody signed in.
  return fetch(url, { ...asked(), signal: AbortSignal.timeout(attemptTimeoutMs) });
}

function failureOf(error: Error): TaskFailure {
  if (error instanceof RequestFailure) {
    const { status, reason } = error;
    const isAway = status === undefined || status === 429 || status >= 500;
    return { kind: isAway ? 'away' : 'refused', message: reason };
  }
  return { kind: error instanceof ImportFailure ? 'file' : 'refused', message: error.message };
}
