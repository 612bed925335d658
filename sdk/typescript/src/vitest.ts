import { describe, test } from 'vitest';
import { defaults } from './defaults.ts';
import type { Json, ServerOptions, Testcase } from './evaluation.ts';
import { callSystem } from './execution.ts';
import { AssayError } from './failure.ts';
import { checkOptions } from './options.ts';
import type { ExpectedOf, FieldsOf } from './record-types.ts';
import { openSession, withSentence } from './session.ts';
import { nameOf } from './testcases.ts';

export type * from './evaluation.ts';

/** The argument of a testcase's test. */
export interface TestcaseContext<Inputs = Json, Expected = Json>
  extends Testcase<FieldsOf<Inputs>, ExpectedOf<Inputs, Expected>> {
  /** From 1 to `trials`. */
  trial: number;
  signal: AbortSignal;
  readonly otelLinkId: string;
}

export type EvaluatesOptions<Inputs = Json, Outputs = unknown, Expected = Json> = Omit<
  ServerOptions<Inputs, Outputs, Expected>,
  'system' | 'quiet' | 'concurrency' | 'retries' | 'rateLimit'
>;

/** How long scores may take, in ms: judges are slower than tests. */
const scoringTimeoutMs = 3_600_000;

/**
 * Makes a test of each testcase, and one after them that fails where the run is worse than the
 * baseline. A testcase whose `system` throws fails, and its record has the error.
 */
export function evaluates<Inputs = Json, Outputs = unknown, Expected = Json>(
  project: string,
  options: EvaluatesOptions<Inputs, Outputs, Expected>,
  system: (context: TestcaseContext<Inputs, Expected>) => Outputs | PromiseLike<Outputs>,
): void;
export function evaluates(
  project: string,
  options: EvaluatesOptions,
  system: (context: TestcaseContext) => unknown,
): void {
  const { timeoutMs = defaults.timeoutMs } = options;
  const all: ServerOptions = {
    ...options,
    system: (_inputs, context) => {
      const { testcase, trial, signal } = context;
      const own = { ...testcase, trial, signal } as TestcaseContext;
      return system(Object.defineProperty(own, 'otelLinkId', { get: () => context.otelLinkId }));
    },
  };
  describe(`${project} · ${options.testset}`, async () => {
    checkOptions(project, all);
    const session = await withSentence(() => openSession(project, all), all);
    const calls = [];
    for await (const call of session.calls()) calls.push(call);
    const { baseline } = session.baseline();
    const hasLimits = Object.values(all.gate ?? {}).some((limit) => limit !== undefined);
    for (const [index, { testcase, trial }] of calls.entries()) {
      const repeat = trial > 1 ? ` (${trial})` : '';
      test.concurrent(`${nameOf(testcase, index)}${repeat}`, {
        timeout: timeoutMs + 60_000,
      }, async () => {
        const result = await callSystem({
          system: all.system,
          testcase,
          trial,
          timeoutMs,
          signal: new AbortController().signal,
        });
        await withSentence(() => session.take(result), all, session);
        if (result.error) throw result.thrown;
      });
    }
    const alone = hasLimits ? 'is within its limits' : 'has no baseline yet';
    const name = baseline ? `is not worse than ${baseline.description}` : alone;
    test(name, { timeout: scoringTimeoutMs }, async ({ skip }) => {
      const evaluation = await withSentence(session.finish, all, session);
      if (!baseline && !hasLimits) return skip(`${evaluation.reason} ${evaluation.link}`);
      const { outcome, reason, link } = evaluation;
      if (outcome === 'worse') throw new AssayError(`${reason} ${link}`, { evaluation });
      if (outcome === 'unknown') skip(`${reason} ${link}`);
    });
  });
}
