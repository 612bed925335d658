import { type Code, codeCharactersMax } from '@assay/contracts/metrics';
import { createOrganizationQueue } from '@assay/runtime/concurrency/organization-context';
import { isStarved, patienceFactor, starved } from '@assay/runtime/concurrency/processor-time';
import { type Outcome, readAnswer } from './answer.ts';
import { findWall } from './bubblewrap.ts';
import type { Child, Launch } from './child.ts';
import { javascriptLaunch } from './javascript.ts';
import { sandboxLimits } from './limits.ts';
import { createPool, type Pool } from './pool.ts';
import { pythonLaunch } from './python.ts';
import type { Request } from './request.ts';

export interface CodeProblem {
  line?: number;
  column?: number;
  message: string;
}

/** `line` is of the code's own source, from 1. */
export type CodeEvaluation =
  | { ok: true; value: unknown; reasoning: string | undefined; durationMs: number }
  | {
      ok: false;
      code: 'code_error' | 'timeout';
      message: string;
      line?: number;
      durationMs: number;
    };

export type Availability = { available: true } | { available: false; reason: string };

export type CodeSandbox = ReturnType<typeof createCodeSandbox>;

/** A new process of JavaScript after so many records, whatever they have left in it. */
const javascriptUsesMax = 200;

/**
 * More bytes than an honest answer can have: four per character, and room for the text around the
 * characters.
 */
const lineBytesMax = 4 * sandboxLimits.answerCharactersMax + 10_000;

type Engine = { use: Pool['use']; close: Pool['close'] } | { reason: string };

/**
 * Runs the code of metrics, which is hostile: at most `children` at a time of each engine (Python;
 * TypeScript and JavaScript) for one organization, and one more for the others, each for
 * `timeoutMs` with `memoryBytesMax`, without network, files and environment. Processes start at the
 * first use and end when there has been none for a minute. Rejects when no process can be started,
 * or the sandbox is closed.
 * @throws SERVICE_UNAVAILABLE when the code hardly got a processor within five times `timeoutMs`.
 */
export function createCodeSandbox({
  timeoutMs = sandboxLimits.timeoutMs,
  memoryBytesMax = sandboxLimits.memoryBytesMax,
  children = 2,
  bubblewrapPath,
  withoutWall = false,
  log = () => undefined,
}: {
  timeoutMs?: number;
  memoryBytesMax?: number;
  children?: number;
  bubblewrapPath?: string | undefined;
  /** Runs JavaScript and TypeScript where bubblewrap does not work, too. */
  withoutWall?: boolean | undefined;
  log?: (sentence: string) => void;
}) {
  const longestMs = timeoutMs * patienceFactor;
  const engines: { javascript?: Promise<Engine>; python?: Promise<Engine> } = {};
  let wall: ReturnType<typeof findWall> | undefined;
  let isClosed = false;

  function engineOf(language: Code['language']): Promise<Engine> {
    if (isClosed) throw new Error('The sandbox is closed.');
    wall ??= findWall({ bubblewrapPath });
    const [name, open] =
      language === 'python'
        ? (['python', openPython] as const)
        : (['javascript', openJavascript] as const);
    engines[name] ??= open(wall);
    return engines[name];
  }

  async function openJavascript(found: ReturnType<typeof findWall>): Promise<Engine> {
    const walled = await found;
    if ('reason' in walled && !withoutWall) {
      const remedy =
        'install bubblewrap, or let code run without its wall by CODE_WITHOUT_WALL=true';
      return {
        reason: `JavaScript and TypeScript metrics are off on this machine: ${walled.reason}; ${remedy}`,
      };
    }
    if ('reason' in walled)
      log(`JavaScript and TypeScript metrics run without bubblewrap's wall: ${walled.reason}`);
    const launch = await javascriptLaunch({ wall: 'wall' in walled ? walled.wall : undefined });
    return createEngine({ launch, usesMax: javascriptUsesMax });
  }

  async function openPython(found: ReturnType<typeof findWall>): Promise<Engine> {
    const walled = await found;
    const python = 'wall' in walled ? await pythonLaunch(walled) : walled;
    if ('reason' in python)
      return { reason: `Python metrics are off on this machine: ${python.reason}` };
    return createEngine({ launch: python.launch, usesMax: 1 });
  }

  function createEngine({ launch, usesMax }: { launch: Launch; usesMax: number }): Engine {
    const pool = createPool({ launch, size: children + 1, usesMax, lineBytesMax });
    const inTurn = createOrganizationQueue({ permits: children + 1, permitsEach: children });
    return { use: (job) => inTurn(() => pool.use(job)), close: pool.close };
  }

  /**
   * Runs the code and returns its problems: it is too long, does not compile, fails at its top
   * level, or defines no `evaluate`.
   */
  async function check(code: Code): Promise<CodeProblem[]> {
    if (code.source.length > codeCharactersMax)
      return [{ message: `has more than ${codeCharactersMax} characters` }];
    const { outcome } = await run({ code, parts: [] });
    return outcome.ok
      ? []
      : [{ message: outcome.message, line: outcome.line, column: outcome.column }];
  }

  /**
   * Calls the code's `evaluate` with a record, whose parts are JSON texts in UTF-8. Any value of
   * JSON may come out.
   */
  async function evaluate({
    code,
    inputs,
    expected,
    outputs,
  }: {
    code: Code;
    inputs: Uint8Array;
    expected: Uint8Array;
    outputs: Uint8Array;
  }): Promise<CodeEvaluation> {
    const { outcome, durationMs } = await run({ code, parts: [inputs, expected, outputs] });
    if (!outcome.ok)
      return {
        ok: false,
        code: outcome.code,
        message: outcome.message,
        line: outcome.line,
        durationMs,
      };
    if (outcome.value === undefined)
      return {
        ok: false,
        code: 'code_error',
        message: 'evaluate returned what JSON cannot hold',
        durationMs,
      };
    return { ...outcome, durationMs };
  }

  async function run({
    code,
    parts,
  }: {
    code: Code;
    parts: Uint8Array[];
  }): Promise<{ outcome: Outcome; durationMs: number }> {
    const engine = await engineOf(code.language);
    if ('reason' in engine)
      return { outcome: { ok: false, code: 'code_error', message: engine.reason }, durationMs: 0 };
    const partBytes = parts.map(({ byteLength }) => byteLength);
    const { answerCharactersMax } = sandboxLimits;
    const request: Request = { ...code, partBytes, timeoutMs, memoryBytesMax, answerCharactersMax };
    const attempt = async () => {
      const exchanged = await engine.use((child) => exchange({ child, request, parts }));
      if (exchanged.isStarved) throw starved();
      return exchanged;
    };
    const first = await attempt();
    // The process may have been killed from outside, or by leftovers of an earlier record. A second
    // time, the code itself is the cause.
    return first.isLost ? attempt() : first;
  }

  async function exchange({
    child,
    request,
    parts,
  }: {
    child: Child;
    request: Request;
    parts: Uint8Array[];
  }) {
    const startedAtMs = performance.now();
    let isOver = false;
    let stopped: 'late' | 'starved' | undefined;
    const before = child.processorUse();
    let deadline = setTimeout(look, timeoutMs);

    /** Time in which the code did not get a processor is not its own, though not without end. */
    function look(): void {
      const passedMs = performance.now() - startedAtMs;
      const { usedMs, waitedMs, isReady } = child.processorUse();
      const used = Math.max(0, usedMs - before.usedMs);
      // A ready child may have waited ever since it became ready: that wait is not in the account
      // yet, so only its used time is known.
      const ranMs = isReady
        ? Math.min(used, passedMs)
        : passedMs - Math.max(0, waitedMs - before.waitedMs);
      const leftMs = Math.min(timeoutMs - ranMs, longestMs - passedMs);
      if (leftMs > 0) deadline = setTimeout(look, Math.ceil(leftMs));
      // An answer that came while this process was busy is read before the immediate.
      else
        setImmediate(stop, isReady && isStarved({ usedMs: used, timeoutMs }) ? 'starved' : 'late');
    }
    function stop(why: 'late' | 'starved'): void {
      if (isOver) return;
      stopped = why;
      void child.kill();
    }
    child.write([`${JSON.stringify(request)}\n`, ...parts]);
    const line = await child.read();
    isOver = true;
    clearTimeout(deadline);
    const durationMs = performance.now() - startedAtMs;
    const late: Outcome = {
      ok: false,
      code: 'timeout',
      message: `the code ran longer than ${timeoutMs} ms`,
    };
    const { outcome, isSpent } = readAnswer({ line, memoryBytesMax });
    const isLost = !stopped && 'missing' in line && line.missing === 'ended';
    return {
      result: {
        outcome: stopped ? late : outcome,
        durationMs,
        isLost,
        isStarved: stopped === 'starved',
      },
      isSpent: isSpent || stopped !== undefined,
    };
  }

  /** Which languages run here, and why one does not. */
  async function availability(): Promise<Record<Code['language'], Availability>> {
    const availabilityOf = async (language: Code['language']): Promise<Availability> => {
      const engine = await engineOf(language);
      return 'reason' in engine ? { available: false, reason: engine.reason } : { available: true };
    };
    return {
      typescript: await availabilityOf('typescript'),
      javascript: await availabilityOf('javascript'),
      python: await availabilityOf('python'),
    };
  }

  /** Ends all processes and waits for their ends. Checks and evaluations in progress reject. */
  async function close(): Promise<void> {
    isClosed = true;
    for (const opened of Object.values(engines)) {
      const engine = await opened.catch(() => undefined);
      if (engine && 'close' in engine) await engine.close();
    }
  }

  return { check, evaluate, availability, close };
}
