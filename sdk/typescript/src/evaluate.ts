import { parseByValue } from '@assay/json/parse';
import { defaults } from './defaults.ts';
import { variable } from './environment.ts';
import type { Evaluation, Json, LocalOptions, ServerOptions } from './evaluation.ts';
import { callSystem, forEachConcurrently } from './execution.ts';
import { AssayError, endWithSentence } from './failure.ts';
import { type Interruption, onInterrupt } from './interrupt.ts';
import { evaluateLocally } from './local.ts';
import type { Note } from './notes.ts';
import { checkOptions } from './options.ts';
import { showProgress } from './progress.ts';
import { createProviderLimits } from './provider-limits.ts';
import { reportLines } from './report.ts';
import { openSession, type Session, withSentence } from './session.ts';

/**
 * Runs a system on a testset, has its answers scored, and says whether it is worse than the
 * baseline. An exception of the system becomes a record; an obstacle of the evaluation itself is an
 * `AssayError`, with a sentence of advice.
 */
export function evaluate<Inputs = Json, Outputs = unknown, Expected = Json>(
  project: string,
  options: ServerOptions<Inputs, Outputs, Expected> | LocalOptions<Inputs, Outputs, Expected>,
): Promise<Evaluation<Inputs, Outputs, Expected>>;
export async function evaluate(
  project: string,
  options: ServerOptions | LocalOptions,
): Promise<Evaluation> {
  try {
    checkOptions(project, options);
    return options.local
      ? await evaluateLocally(project, options)
      : await onServer(project, options);
  } catch (error) {
    if (error instanceof AssayError) endWithSentence(error);
    throw error;
  }
}

const testcaseChoices = ['limit', 'sample', 'where', 'keys'] as const;
type TestcaseChoice = Pick<ServerOptions, (typeof testcaseChoices)[number]>;

/** Options with others in their place: those that choose testcases replace all that do. */
export function withChoice<Options extends TestcaseChoice, Others extends TestcaseChoice>(
  options: Options,
  others: Others,
): Options & Others {
  const merged = { ...options, ...others };
  if (testcaseChoices.some((name) => others[name] !== undefined))
    for (const name of testcaseChoices) if (others[name] === undefined) delete merged[name];
  return merged;
}

/** The options that `assay run` was given win over those of the script that it started. */
function withRunOptions(options: ServerOptions): ServerOptions {
  const given = variable('ASSAY_RUN_OPTIONS');
  if (given === undefined) return options;
  const { config, ...others } = parseByValue(given) as Partial<ServerOptions>;
  const merged = withChoice(options, others);
  return config ? { ...merged, config: { ...options.config, ...config } } : merged;
}

async function onServer(project: string, given: ServerOptions): Promise<Evaluation> {
  const options = withRunOptions(given);
  const session = await withSentence(() => openSession(project, options), options);
  const progress = options.quiet
    ? undefined
    : showProgress({ screen: process.stderr, state: session.progress });
  const interrupt = onInterrupt({ session, progress });
  const { stopping } = interrupt;
  try {
    const limited = await withSentence(
      () => callAll(session, options, interrupt),
      options,
      session,
    ).finally(interrupt.callsEnded);
    if (stopping.aborted) await interrupt.ended;
    const evaluation = await withSentence(() => session.finish(limited), options, session);
    progress?.stop();
    if (!options.quiet)
      process.stdout.write(
        `${reportLines(evaluation, session.title, { kept: session.kept(), notes: session.shownNotes() }).join('\n')}\n`,
      );
    // A script that `assay run` started ends as an evaluation of assay.yaml does.
    if (evaluation.everyCallFailed && variable('ASSAY_RUN_OPTIONS') !== undefined)
      process.exitCode = Math.max(Number(process.exitCode ?? 0), 2);
    return pastTheGate(evaluation, options);
  } catch (error) {
    // A run that was paused ends its own evaluation: the interrupt says so.
    if (stopping.aborted) await interrupt.ended;
    throw error;
  } finally {
    progress?.stop();
    interrupt.off();
  }
}

async function callAll(
  session: Session,
  options: ServerOptions,
  { stopping, cutting }: Pick<Interruption, 'stopping' | 'cutting'>,
): Promise<Note[]> {
  const { system, retries = defaults.retries, rateLimit } = options;
  const { concurrency = defaults.concurrency, timeoutMs = defaults.timeoutMs } = options;
  const limits = createProviderLimits({ concurrency, retries, rateLimit, signal: stopping });
  await forEachConcurrently({
    items: session.calls(),
    concurrency,
    signal: stopping,
    work: async ({ testcase, trial }) => {
      await session.begin();
      const result = await limits.call(() =>
        callSystem({ system, testcase, trial, timeoutMs, signal: cutting }),
      );
      // A call that was cut short has no answer of the system.
      if (result && !cutting.aborted) await session.take(result);
    },
  });
  return limits.notes();
}

/** @throws AssayError where there is a gate that the result does not pass. */
function pastTheGate(evaluation: Evaluation, { gate }: Pick<ServerOptions, 'gate'>): Evaluation {
  if (gate === undefined || evaluation.outcome === 'passed') return evaluation;
  throw new AssayError(`${evaluation.reason} ${evaluation.link}`, { evaluation });
}
