import { findTestset } from '@assay/client/find';
import { nearNames } from '@assay/client/named';
import { parseByValue } from '@assay/json/parse';
import { pointerTo } from '@assay/json/pointer';
import { evaluate, withChoice } from '@assay/sdk/evaluate';
import type { Evaluation } from '@assay/sdk/evaluation';
import { AssayError } from '@assay/sdk/failure';
import type { Command } from 'commander';
import { consoleUrl } from '../connection.ts';
import { CommandFailure, UsageFailure } from '../failure.ts';
import { findProject } from '../lookup.ts';
import { type Context, collect, type ServerOptions, wholeNumber, withServer } from '../options.ts';
import { defaultFile, type ProjectFile, readProjectFile } from '../project/read.ts';
import { runAtChanges } from '../project/run-at-changes.ts';
import { filesOfRun } from '../project/run-files.ts';
import { isScript, runScript } from '../project/scripts.ts';
import { openSystem } from '../project/systems.ts';

interface RunOptions extends ServerOptions {
  file: string;
  resume?: string;
  retryErrors?: true;
  limit?: number;
  sample?: number;
  seed?: number;
  where: string[];
  key?: string[];
  trials?: number;
  concurrency?: number;
  timeout?: number;
  retries?: number;
  rateLimit?: number;
  setBaseline?: true;
  promote?: true;
  config: string[];
  watch?: true;
  watchPath: string[];
}

const help = `
The exit code is that of the gate, where an evaluation has one: 1 for worse, 2 where it could not tell.

  assay run                         all evaluations of assay.yaml
  assay run support --limit 20 --config model=small-2
  assay run support.eval.mjs        a script that calls evaluate of the package

Scripts of TypeScript need Node.js 22.18 or newer, or the package tsx beside them.`;

const secondsMax = 86_400;

/** `assay run`: the evaluations of assay.yaml, and scripts that call `evaluate`. */
export function addRun(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('run')
      .description('Run evaluations of assay.yaml or scripts, and say whether they are worse.')
      .argument(
        '[names...]',
        'of the evaluations, or files such as support.eval.mjs (default: all)',
      )
      .option('--file <file>', 'the file of the project', defaultFile)
      .option('--resume <run>', 'complete this run; with one evaluation only')
      .option('--retry-errors', 'with --resume: run the testcases whose records are errors again')
      .option('--limit <count>', 'only the first testcases', wholeNumber(1, 1_000_000))
      .option('--sample <count>', 'only so many, drawn by the seed', wholeNumber(1, 1_000_000))
      .option('--seed <number>', 'of --sample (default: 1)', wholeNumber(0, 2 ** 31))
      .option('--where <field=value>', 'only testcases with this data; repeatable', collect, [])
      .option('--key <key>', 'only the testcase with this key; repeatable', collect)
      .option('--trials <count>', 'how often each testcase is answered', wholeNumber(1, 100))
      .option('--concurrency <count>', 'calls of the system at once', wholeNumber(1, 1000))
      .option('--timeout <seconds>', 'the longest call of the system', wholeNumber(1, secondsMax))
      .option(
        '--retries <count>',
        'how often a call is made again that a provider refused by its limits',
        wholeNumber(0, 100),
      )
      .option('--rate-limit <count>', 'calls of the system a minute', wholeNumber(1, 1_000_000))
      .option('--set-baseline', 'make a run that passes the baseline of its testset')
      .option('--promote', 'make the version of a run that passes the production version')
      .option('--config <key=value>', 'a member of the version; repeatable', collect, [])
      .option('--watch', 'run again whenever a file changes that the run reads')
      .option(
        '--watch-path <path>',
        'a file or folder that it reads, too; repeatable',
        collect,
        [],
      ),
    'the results as JSON: [evaluation]',
  )
    .addHelpText('after', help)
    .action(async (names: string[], options: RunOptions) => {
      if (options.watch)
        return runAtChanges({
          words: [...process.execArgv, ...withoutWatch(process.argv.slice(1))],
          files: () => filesOfRun({ file: options.file, names, paths: options.watchPath }),
          say: terminal.say,
        });
      const config = readMembers(options.config);
      const scripts = names.filter(isScript);
      if (scripts.length > 0 && (scripts.length < names.length || options.json))
        throw new UsageFailure(
          'Error: scripts print their own results: run them without --json, and without names of assay.yaml.',
        );
      if (scripts.length > 0) {
        const { server } = await connection.connect(options.url);
        const own = defined({ ...ownOptions(options), config });
        for (const script of scripts)
          process.exitCode = Math.max(
            Number(process.exitCode ?? 0),
            await runScript(script, { url: consoleUrl(server.url), key: server.key, options: own }),
          );
        return;
      }
      const file = await readProjectFile(options.file);
      const chosen = choose(file, names);
      if (options.resume !== undefined && chosen.length > 1)
        throw new UsageFailure('Error: --resume needs the name of one evaluation.');
      const results: Evaluation[] = [];
      for (const name of chosen)
        results.push(await runOne(file, name, { ...options, members: config }));
      if (options.json) await terminal.printJson(results);
    });

  async function runOne(
    file: ProjectFile,
    name: string,
    { members, ...options }: RunOptions & { members: object },
  ): Promise<Evaluation> {
    const { url, json } = options;
    const { system: _system, gate, ...entry } = file.definition.evaluations[name]!;
    const { client, server } = await connection.connect(url);
    const project = await findProject(client, file.definition.project);
    const testset = await findTestset(client, entry.testset, project);
    const { system, stop } = await openSystem(file, name, terminal.say);
    const own = defined(ownOptions(options));
    const chosen = withChoice(defined(entry), own);
    const isConfigured = entry.config !== undefined || Object.keys(members).length > 0;
    try {
      const { baseline, ...limits } = gate ?? {};
      const evaluation = await evaluate(project.id, {
        ...chosen,
        testset: testset.id,
        ...(isConfigured ? { config: { ...entry.config, ...members } } : {}),
        ...defined({ baseline }),
        ...(gate ? { gate: defined(limits) } : {}),
        url: consoleUrl(server.url),
        apiKey: server.key,
        system,
        quiet: json ?? false,
      });
      if (evaluation.everyCallFailed) {
        terminal.say(evaluation.reason);
        process.exitCode = Math.max(Number(process.exitCode ?? 0), 2);
      }
      return evaluation;
    } catch (error) {
      if (!(error instanceof AssayError)) throw error;
      terminal.say(error.message);
      process.exitCode = Math.max(Number(process.exitCode ?? 0), error.exitCode);
      if (error.evaluation) return error.evaluation;
      throw new CommandFailure(`The evaluation "${name}" did not end.`);
    } finally {
      stop();
    }
  }
}

/** The words of this command without those about watching. */
const withoutWatch = (words: string[]): string[] =>
  words.filter(
    (word, index) => !/^--watch(-path(=.*)?)?$/s.test(word) && words[index - 1] !== '--watch-path',
  );

/** The options of this command as `evaluate` has them. */
function ownOptions(options: RunOptions) {
  const { resume, retryErrors, limit, sample, seed, where, key } = options;
  const { trials, concurrency, retries, rateLimit, setBaseline, promote } = options;
  return {
    ...{ resume, retryErrors, limit, sample, seed, trials, concurrency, retries, rateLimit },
    ...{ setBaseline, promote },
    timeoutMs: options.timeout && options.timeout * 1000,
    where: where.length > 0 ? readWhere(where) : undefined,
    keys: key,
  };
}

/** `lang=de` and `/meta/lang=de`: JSON Pointers with values. */
const readWhere = (texts: string[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(readMembers(texts, 'condition')).map(([field, value]) => [
      field.startsWith('/') ? field : pointerTo([field]),
      value,
    ]),
  );

function choose({ file, definition }: ProjectFile, names: string[]): string[] {
  const known = Object.keys(definition.evaluations);
  if (known.length === 0)
    throw new CommandFailure(`${file} has no evaluations: add one, as assay init writes it.`);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names.length > 0 ? names : known;
  const [near] = nearNames(unknown, known);
  throw new CommandFailure(
    `${file} has no evaluation "${unknown}"${near === undefined ? `; it has ${known.map((name) => `"${name}"`).join(', ')}` : `: did you mean "${near}"?`}.`.replace(
      '?.',
      '?',
    ),
  );
}

/** `model=small-2`; a value that is JSON is one, any other is a text. */
function readMembers(texts: string[], kind = 'member of a version'): Record<string, unknown> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (key === undefined || value === undefined)
        throw new UsageFailure(`Error: "${text}" is no ${kind}: write KEY=VALUE.`);
      try {
        return [key, parseByValue(value)];
      } catch {
        return [key, value];
      }
    }),
  );
}

/** Without members that are undefined, which would stand for a choice. */
const defined = <Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: NonNullable<Fields[Name]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
