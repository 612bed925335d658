import { afterAll, describe, expect, test } from 'vitest';
import { openSandbox, startSandbox, withoutPython } from './setting.ts';

const patient = openSandbox();
const impatient = openSandbox({ timeoutMs: 400 });
afterAll(() => Promise.all([patient.close(), impatient.close()]));

const late = { ok: false, code: 'timeout', message: 'the code ran longer than 400 ms' };
const tooMuch = { ok: false, code: 'code_error', message: 'the code took more than 128 MB' };

const good = { ok: true, value: 6, reasoning: undefined };
const goodJavascript = () => patient.run('javascript', 'const evaluate = () => 6');
const goodPython = () => patient.run('python', 'def evaluate(record):\n    return 6');

describe('JavaScript that does not end is killed at its deadline', () => {
  test.each([
    ['an endless loop', 'const evaluate = () => { for (;;); }'],
    [
      'an endless loop that catches what it is sent',
      'const evaluate = () => { for (;;) try { for (;;); } catch {} }',
    ],
    [
      'an endless loop in a job of a promise',
      'const evaluate = () => Promise.resolve().then(() => { while (true); })',
    ],
    ['promises without end', 'const evaluate = async () => { for (;;) await null; }'],
    ['a pattern that backtracks', 'const evaluate = () => /^(a+)+$/.test("a".repeat(5000) + "b")'],
    [
      'a native loop',
      'const evaluate = () => { const a = []; a.length = 4294967295; return a.indexOf(1); }',
    ],
    ['a toJSON that loops', 'const evaluate = () => ({ toJSON() { for (;;); } })'],
    ['a getter that loops', 'const evaluate = () => ({ get value() { for (;;); } })'],
    [
      'a proxy that loops while it is written',
      'const evaluate = () => new Proxy({}, { ownKeys() { for (;;); } })',
    ],
    [
      'an error whose message loops',
      'const evaluate = () => { throw { toString() { for (;;); } } }',
    ],
    ['an endless top level', 'for (;;);'],
  ])('%s', async (_what, source) => {
    expect(await impatient.run('javascript', source)).toEqual(late);
    expect(await goodJavascript()).toEqual(good);
  });
});

describe('JavaScript that takes more memory than it may have is told so', () => {
  test.each([
    ['a huge text', 'const evaluate = () => "x".repeat(2 ** 29).length'],
    [
      'a growing list',
      'const evaluate = () => { const a = []; for (;;) a.push("x".repeat(1e6) + a.length); }',
    ],
    ['a filled list', 'const evaluate = () => new Array(1e9).fill(7).length'],
    [
      'a list that is kept',
      'const kept = []; const evaluate = () => { for (;;) kept.push(new Uint8Array(1e6)); }',
    ],
    [
      'small things',
      'const evaluate = () => { const a = {}; for (let i = 0; ; i++) a["k" + i] = [a]; }',
    ],
  ])('%s', async (_what, source) => {
    expect(await patient.run('javascript', source)).toMatchObject(tooMuch);
    expect(await goodJavascript()).toEqual(good);
  });

  test('as many MB as the sandbox was given', async () => {
    const sandbox = startSandbox({ memoryBytesMax: 64 * 1024 * 1024 });
    const source = (size: number) =>
      `const evaluate = () => new Uint8Array(${size * 1024 * 1024}).length > 0`;
    expect(await sandbox.run('javascript', source(40))).toMatchObject({ ok: true, value: true });
    expect(await sandbox.run('javascript', source(70))).toMatchObject({
      message: 'the code took more than 64 MB',
    });
    expect(await patient.run('javascript', source(70))).toMatchObject({ ok: true, value: true });
  });

  test('TypeScript that is much to parse hurts nobody else', async () => {
    const outcome = await patient.run('typescript', `${'('.repeat(60_000)}`);
    expect(outcome).toMatchObject({ ok: false, code: 'code_error' });
    expect(await goodJavascript()).toEqual(good);
  });
});

describe('JavaScript that calls too deeply gets an error', () => {
  test.each([
    [
      'functions',
      'const evaluate = () => { const f = () => f() + 1; return f(); }',
      /stack overflow/,
    ],
    ['the parser', 'const evaluate = () => eval("[".repeat(1e6))', /stack/],
    ['the pattern compiler', 'const evaluate = () => new RegExp("(?:".repeat(1e5))', /stack|Error/],
    [
      'the result',
      'const evaluate = () => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a; }',
      /stack/,
    ],
    [
      'getters of an error',
      'const evaluate = () => { throw new Proxy(new Error("a"), { get(a, b, self) { return self[b]; } }); }',
      /stack|described/,
    ],
  ])('%s', async (_what, source, message) => {
    expect(await patient.run('javascript', source)).toMatchObject({
      ok: false,
      code: 'code_error',
      message: expect.stringMatching(message),
    });
    expect(await goodJavascript()).toEqual(good);
  });
});

test('words of an error are cut, however many there are', async () => {
  const outcome = await patient.run(
    'javascript',
    'const evaluate = () => { throw new Error("x".repeat(1e7)); }',
  );
  expect(outcome).toMatchObject({ ok: false, message: `Error: ${'x'.repeat(1993)}` });
});

test('an error that lies about its stack is an error without a place', async () => {
  const lying =
    'const evaluate = () => { throw Object.assign(new Error("a"), { stack: "metric.js:-1:0 metric.js:99999999999999999999:1" }); }';
  expect(await patient.run('javascript', lying)).toEqual({
    ok: false,
    code: 'code_error',
    message: 'Error: a',
    line: undefined,
  });
});

test('a text with line ends does not become an answer of its own', async () => {
  const forging =
    'JSON.stringify = () => \'{"ok":true,\\n"value":1}\\n{"ok":true,"value":"forged"}\\n\'; const evaluate = () => 1;';
  const sandbox = startSandbox({ children: 1 });
  expect(await sandbox.run('javascript', forging)).toMatchObject({ ok: false, code: 'code_error' });
  expect(await sandbox.run('javascript', 'const evaluate = () => 6')).toEqual(good);
});

test.each(['javascript', 'python'] as const)(
  'a record of 15 MiB is read, and stays out of the way of the next: %s',
  async (language) => {
    if (language === 'python' && withoutPython) return;
    const source = {
      javascript: 'const evaluate = ({ outputs }) => outputs.text.length',
      python: 'def evaluate(record):\n    return len(record["outputs"]["text"])',
    };
    const outputs = { text: 'é'.repeat(7_500_000) };
    expect(await patient.run(language, source[language], { outputs })).toMatchObject({
      ok: true,
      value: 7_500_000,
    });
    expect(await patient.run(language, source[language], { outputs: { text: '' } })).toMatchObject({
      ok: true,
      value: 0,
    });
  },
);

describe.skipIf(withoutPython)('Python', () => {
  const evaluate = (...lines: string[]) =>
    ['import os, sys', 'def evaluate(record):', ...lines.map((line) => `    ${line}`)].join('\n');

  test.each([
    ['an endless loop', evaluate('while True: pass')],
    [
      'an endless loop that catches what it is sent',
      evaluate(
        'while True:',
        '    try:',
        '        while True: pass',
        '    except BaseException: pass',
      ),
    ],
    [
      'one that hears no signals',
      evaluate(
        'import signal',
        'for n in range(1, 32):',
        '    try: signal.signal(n, lambda *_: None)',
        '    except (OSError, ValueError): pass',
        'while True: pass',
      ),
    ],
    [
      'a pattern that backtracks',
      evaluate('import re', 'return bool(re.match("^(a+)+$", "a" * 5000 + "b"))'),
    ],
    ['a native loop', evaluate('return sum(range(10 ** 12))')],
    ['a sleep', evaluate('import time', 'time.sleep(1000)')],
    ['an endless top level', 'while True: pass'],
  ])('%s is killed at its deadline', async (_what, source) => {
    expect(await impatient.run('python', source)).toEqual(late);
    expect(await goodPython()).toEqual(good);
  });

  test.each([
    ['a huge text', evaluate('return len("x" * 2 ** 30)')],
    ['a growing list', evaluate('a = []', 'while True: a.append("x" * 1000000)')],
    ['small things', evaluate('a = []', 'while True: a.append([a])')],
    ['a list that is kept', `kept = []\n${evaluate('while True: kept.append(bytearray(1000))')}`],
  ])('%s is told that it takes too much memory', async (_what, source) => {
    expect(await patient.run('python', source)).toMatchObject(tooMuch);
    expect(await goodPython()).toEqual(good);
  });

  test('shared memory has its bound too', async () => {
    const source = evaluate('import mmap', 'return len(mmap.mmap(-1, 256 * 1024 * 1024))');
    expect(await patient.run('python', source)).toMatchObject({ ok: false, code: 'code_error' });
  });

  test.each([
    ['calls too deeply', evaluate('return evaluate(record)'), /^RecursionError: /],
    [
      'breaks the C stack',
      evaluate(
        'sys.setrecursionlimit(10 ** 9)',
        'a = []',
        'for _ in range(10 ** 6): a = [a]',
        'return repr(a)',
      ),
      /ended its process|RecursionError|MB$/,
    ],
    ['leaves by sys.exit', evaluate('sys.exit(3)'), /^SystemExit: 3$/],
    [
      'leaves by os._exit',
      evaluate('os._exit(0)'),
      /^the code ended its process before it answered$/,
    ],
    [
      'closes what it can',
      evaluate('os.closerange(0, 256)', 'return 1'),
      /^the code ended its process before it answered$/,
    ],
    [
      'writes no JSON as its answer',
      evaluate(
        'for n in range(3, 16):',
        '    try: os.write(n, b"hello\\n")',
        '    except OSError: pass',
        'return 1',
      ),
      /^the code wrote its answer itself, and not well$/,
    ],
    [
      'writes without end',
      evaluate(
        'while True:',
        '    for n in range(3, 16):',
        '        try: os.write(n, b"x" * 65536)',
        '        except OSError: pass',
      ),
      /more than 65536 characters/,
    ],
    [
      'raises what cannot be described',
      `class Odd(Exception):\n    def __str__(self): raise self\n${evaluate('raise Odd()')}`,
      /^the code raised what cannot be described$/,
    ],
  ])('one that %s gets an error', async (_what, source, message) => {
    expect(await patient.run('python', source)).toMatchObject({
      ok: false,
      code: 'code_error',
      message: expect.stringMatching(message),
    });
    expect(await goodPython()).toEqual(good);
  });

  test('one that answers in its own name answers for itself only', async () => {
    const sandbox = startSandbox({ children: 1 });
    const forging = evaluate(
      'for n in range(3, 16):',
      '    try: os.write(n, b\'{"ok":true,"value":"forged"}\\n\' * 3)',
      '    except OSError: pass',
      'return 1',
    );
    expect(await sandbox.run('python', forging)).toMatchObject({ ok: true, value: 'forged' });
    expect(await sandbox.run('python', 'def evaluate(record):\n    return 6')).toEqual(good);
  });

  test('one that prints 1 GB answers all the same', async () => {
    const source = evaluate(
      'for _ in range(1000): os.write(1, b"x" * 1000000)',
      'print("x" * 1000000)',
      'return 1',
    );
    expect(await patient.run('python', source)).toMatchObject({ ok: true, value: 1 });
  });

  test('threads that go on after the answer end with it', async () => {
    const source = evaluate(
      'import threading',
      'def go_on():',
      '    while True: pass',
      'threading.Thread(target=go_on).start()',
      'return 6',
    );
    const outcome = await patient.run('python', source);
    // Where the system counts the threads of this user, there are none to start.
    expect(outcome).toMatchObject(
      outcome.ok ? good : { message: "RuntimeError: can't start new thread" },
    );
    expect(await goodPython()).toEqual(good);
  });
});
