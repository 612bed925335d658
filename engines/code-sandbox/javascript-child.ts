// The program of a child process that runs TypeScript and JavaScript: read as text, never imported
// (javascript.ts). Each request gets a new WebAssembly instance with memory of its own; the
// instances share the compiled module.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import variantOfEsm from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
} from 'quickjs-emscripten-core';
import { transform } from 'sucrase';
import type { Answer, Request } from './request.ts';

// Its types are those of its CommonJS form.
const variant = variantOfEsm as unknown as typeof variantOfEsm.default;

/** As much of it as is used here: Node has it, its types have not. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    constructor(pages: { initial: number; maximum: number });
    readonly buffer: ArrayBuffer;
  }
}

const fileName = 'metric.js';
const pageBytes = 65_536;
const initialPages = 256;
/**
 * Deeper calls are an error that the code can catch. Node's own stack (javascript.ts) holds more
 * than this.
 */
const stackBytesMax = 524_288;

const load = createRequire(`${process.cwd()}/`);
const wasmModule = new WebAssembly.Module(
  readFileSync(load.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')),
);

const parent = process.ppid;

let received: Buffer[] = [];
let request: Request | undefined;
let transformed: { source: string; script: string } | undefined;

/** Warms up: compiles everything that the first record would otherwise compile. */
await answer({
  request: {
    language: 'typescript',
    source: 'function evaluate({ inputs }: { inputs: number }) { return inputs; }',
    partBytes: [1, 1, 1],
    timeoutMs: 10_000,
    memoryBytesMax: initialPages * pageBytes * 2,
    answerCharactersMax: 100,
  },
  parts: ['1', '1', '1'],
});
process.stdout.write('ready\n');
process.stdin.on('data', (chunk) => receive(chunk).catch(() => process.exit(1)));
process.stdin.on('end', () => process.exit(0));

async function receive(chunk: Buffer): Promise<void> {
  received.push(chunk);
  if (!request && chunk.includes('\n')) {
    const bytes = Buffer.concat(received);
    const end = bytes.indexOf('\n');
    request = JSON.parse(bytes.toString('utf8', 0, end)) as Request;
    received = [bytes.subarray(end + 1)];
  }
  if (!request || sum(received.map(({ length }) => length)) < sum(request.partBytes)) return;
  const [asked, bytes] = [request, Buffer.concat(received)];
  request = undefined;
  received = [];
  // A line is an answer: no text of the code's may make two of one.
  process.stdout.write(
    `${(await answer({ request: asked, parts: split(bytes, asked.partBytes) })).replaceAll('\n', ' ')}\n`,
  );
}

function split(bytes: Buffer, lengths: number[]): string[] {
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return bytes.toString('utf8', at - length, at);
  });
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The text of an `Answer`. */
async function answer({ request, parts }: { request: Request; parts: string[] }): Promise<string> {
  try {
    const script = scriptOf(request);
    return typeof script === 'string'
      ? await run({ request, script, parts })
      : JSON.stringify(script);
  } catch (error) {
    return JSON.stringify({ ok: false, broken: true, message: String(error) } satisfies Answer);
  }
}

function scriptOf({ language, source }: Request): string | Answer {
  if (language === 'javascript') return source;
  if (transformed?.source === source) return transformed.script;
  try {
    const { code } = transform(source, { transforms: ['typescript'], disableESTransforms: true });
    transformed = { source, script: code };
    return code;
  } catch (error) {
    const { message, loc } = error as Error & { loc?: { line: number; column: number } };
    // sucrase counts columns from 1 and ends its messages with the place.
    return { ok: false, message: `SyntaxError: ${message.replace(/ \(\d+:\d+\)$/, '')}`, ...loc };
  }
}

async function run({
  request,
  script,
  parts,
}: {
  request: Request;
  script: string;
  parts: string[];
}): Promise<string> {
  const memory = new WebAssembly.Memory({
    initial: initialPages,
    maximum: Math.floor(request.memoryBytesMax / pageBytes),
  });
  const quickJs = await newQuickJSWASMModuleFromVariant(
    newVariant(variant, { wasmModule, wasmMemory: memory }),
  );
  const runtime = quickJs.newRuntime();
  runtime.setMaxStackSize(stackBytesMax);
  // The parent kills at the deadline; this is for the case that no parent is left, and the child
  // has another one.
  runtime.setInterruptHandler(() => process.ppid !== parent);
  try {
    return evaluateIn({ context: runtime.newContext(), request, script, parts });
  } catch (error) {
    const isMemory = memory.buffer.byteLength > 0.8 * request.memoryBytesMax;
    return JSON.stringify({
      ok: false,
      broken: true,
      memory: isMemory,
      message: String(error),
    } satisfies Answer);
  }
}

interface Run {
  context: QuickJSContext;
  request: Request;
  script: string;
  parts: string[];
}

function evaluateIn({ context, request, script, parts }: Run): string {
  const made = context.evalCode(
    `(${harness})(${request.answerCharactersMax}, '${fileName}')`,
    'sandbox.js',
    { type: 'global' },
  );
  const ours = context.unwrapResult(made);
  const call = (name: string, given?: QuickJSHandle) =>
    context.getString(context.unwrapResult(context.callMethod(ours, name, given ? [given] : [])));
  let loaded = context.evalCode(script, fileName, { type: 'global' });
  // A module may export its function. Code with an export outside of a module is not run at all.
  // Its fault without the export is the one that its author made.
  const own = withoutExports(script);
  if (loaded.error && own !== script) loaded = context.evalCode(own, fileName, { type: 'global' });
  if (loaded.error) return placed({ text: call('describe', loaded.error), request, script });
  for (const part of parts) {
    const text = context.newString(part);
    call('take', text);
    text.dispose();
  }
  call('start');
  for (;;) {
    const jobs = context.runtime.executePendingJobs(1000);
    if (jobs.error) return call('describe', jobs.error);
    if (jobs.value === 0) return call('answer');
  }
}

const declared = /^export (default )?(?=(async )?function|const |let |var |class )/gm;
const listed = /^export \{[\w$\s,]*\};?/gm;
/** Of an expression, such as an arrow function. */
const byDefault = /^export default /gm;

const spaces = (word: string): string => ' '.repeat(word.length);

/** Replaces exports by as many other characters, so that lines and columns stay. */
const withoutExports = (script: string): string =>
  script
    .replaceAll(declared, spaces)
    .replaceAll(listed, (word) => word.replaceAll(/[^\n]/g, ' '))
    .replaceAll(byDefault, 'var evaluate = ');

/**
 * Removing types moves the code behind them, so the column is kept only if the line is the same as
 * in the source.
 */
function placed({
  text,
  request,
  script,
}: {
  text: string;
  request: Request;
  script: string;
}): string {
  const described = JSON.parse(text) as Answer & { ok: false };
  const lineIn = (code: string) => code.split('\n')[(described.line ?? 1) - 1];
  return lineIn(script) === lineIn(request.source)
    ? text
    : JSON.stringify({ ...described, column: undefined });
}

/**
 * Evaluated inside of QuickJS, before the users' code and beside it: its text goes there, so it
 * must name nothing outside of itself.
 */
function harness(answerCharactersMax: number, fileName: string) {
  const parts: unknown[] = [];
  let answer = refuse('evaluate must not wait for anything: its promise was never settled');
  const discard = () => undefined;
  Object.assign(globalThis, {
    console: { debug: discard, error: discard, info: discard, log: discard, warn: discard },
  });

  async function start(): Promise<void> {
    try {
      const [inputs, expected, outputs] = parts;
      answer = accept(
        typeof evaluate === 'function'
          ? await evaluate({ inputs, expected, outputs })
          : await score(inputs, outputs, expected),
      );
    } catch (error) {
      answer = describe(error);
    }
  }

  function accept(result: unknown): string {
    const isObject = typeof result === 'object' && result !== null;
    const names = ['value', 'score', 'binaryScore', 'intScore', 'floatScore'];
    const name = names.find((name) => isObject && Object.hasOwn(result, name));
    const wrapped = result as Record<string, unknown>;
    const [value, reasoning] = name ? [wrapped[name], wrapped.reasoning] : [result, undefined];
    const kind = value instanceof Promise ? 'promise' : typeof value;
    // A null under a name says that the metric does not apply; by itself it says nothing.
    if (kind === 'undefined' || result === null)
      return refuse('evaluate returned nothing: return the value, or { value, reasoning }');
    if (['bigint', 'function', 'promise', 'symbol'].includes(kind))
      return refuse(`evaluate returned a ${kind}, which is not a JSON value`);
    if (kind === 'number' && !Number.isFinite(value))
      return refuse(`evaluate returned ${value}, which is not a JSON number`);
    if (reasoning !== undefined && reasoning !== null && typeof reasoning !== 'string')
      return refuse('reasoning must be a text');
    const text = JSON.stringify({ ok: true, value, reasoning: reasoning ?? undefined });
    return text.length > answerCharactersMax
      ? refuse(
          `the value and its reasoning have ${text.length} characters as JSON, and may have ${answerCharactersMax}`,
        )
      : text;
  }

  function describe(thrown: unknown): string {
    let message = 'the code threw what cannot be described';
    let place: RegExpMatchArray | null = null;
    let memory = false;
    try {
      if (thrown instanceof Error) {
        message = `${thrown.name}: ${thrown.message}`;
        memory = message === 'InternalError: out of memory';
        place = String(thrown.stack).match(new RegExp(`${fileName}:(\\d+):(\\d+)`));
      } else message = `the code threw ${String(thrown)}`;
    } catch {
      // The thrown thing has code of its own that throws: there is no more to say of it.
    }
    return JSON.stringify({
      ok: false,
      message: message.slice(0, 2000),
      memory,
      line: place ? +place[1]! : undefined,
      column: place ? +place[2]! : undefined,
    });
  }

  function refuse(message: string): string {
    return JSON.stringify({ ok: false, message });
  }

  return {
    describe,
    take: (text: string) => {
      parts.push(JSON.parse(text));
      return '';
    },
    start: () => {
      if (typeof evaluate !== 'function' && typeof score !== 'function')
        answer = refuse('the code defines no function evaluate');
      else if (parts.length === 0) answer = JSON.stringify({ ok: true });
      else start();
      return '';
    },
    answer: () => answer,
  };
}

/** The function that users' code defines, as the harness sees it; and the form that others take. */
declare const evaluate: (record: {
  inputs: unknown;
  expected: unknown;
  outputs: unknown;
}) => unknown;
declare const score: (inputs: unknown, outputs: unknown, expected: unknown) => unknown;
