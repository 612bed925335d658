import { afterAll, describe, expect, test } from 'vitest';
import { openSandbox, startSandbox, withoutPython } from './setting.ts';

// Each on both kinds of walls, since the inner ones must hold by themselves.
const sandboxes = {
  'as found here': openSandbox(),
  'without bubblewrap': openSandbox({ bubblewrapPath: '/nowhere/bwrap', withoutWall: true }),
};
const python = sandboxes['as found here'];
afterAll(() => Promise.all(Object.values(sandboxes).map((sandbox) => sandbox.close())));

/** What an escape would find; `typeof` of a name that is not there is no error. */
const body = (...lines: string[]) => `function evaluate() {\n${lines.join('\n')}\n}`;
const reach = 'const reach = (value) => value.constructor.constructor("return typeof process")();';

describe.each(Object.entries(sandboxes))('JavaScript %s', (_walls, sandbox) => {
  test.each([
    [
      'the constructor of a constructor',
      body('return this.constructor.constructor("return typeof process")();'),
    ],
    [
      'the constructor of an argument',
      'const evaluate = (record) => record.inputs.constructor.constructor("return typeof process")();',
    ],
    ['an indirect eval', body('return (0, eval)("typeof process");')],
    ['the global object', body('return typeof globalThis.process;')],
    ['require', body('return typeof require;')],
    ['a module of CommonJS', body('return typeof module;')],
    ['WebAssembly', body('return typeof WebAssembly;')],
    ['workers, whose counting would be a clock', body('return typeof Worker;')],
    ['timers', body('return typeof setTimeout;')],
    ['the network', body('return typeof fetch;')],
    [
      'callers on the stack',
      body('return typeof evaluate.caller;').replace(
        'typeof evaluate.caller',
        'typeof (evaluate.caller ?? undefined)',
      ),
    ],
  ])('%s leads nowhere', async (_what, source) => {
    expect(await sandbox.run('javascript', source)).toMatchObject({ ok: true, value: 'undefined' });
  });

  test.each([
    ['import()', body('return import("fs").then((fs) => fs.readFileSync("/etc/passwd", "utf8"));')],
    ['import() of a built-in', body('return import("node:child_process");')],
    ['import() of data', body('return import("data:text/javascript,export default 1");')],
    [
      'an import of the module',
      'import fs from "node:fs";\nfunction evaluate() { return fs.readFileSync("/etc/passwd", "utf8"); }',
    ],
  ])('%s finds no module', async (_what, source) => {
    expect(await sandbox.run('javascript', source)).toMatchObject({
      ok: false,
      code: 'code_error',
      message: expect.stringMatching(/Error: /),
    });
  });

  // Published ways out of vm2, of which each found an object of the host's where this engine has
  // none.
  test.each([
    [
      'frames of a prepared stack (CVE-2023-29017)',
      body(
        reach,
        'const found = [];',
        'Error.prepareStackTrace = (error, frames) => {',
        '  for (const frame of Object(frames) instanceof Array ? frames : []) {',
        '    for (const name of ["getThis", "getFunction"]) { try { found.push(reach(frame[name]())); } catch {} }',
        '  }',
        '};',
        'String(new Error().stack);',
        'try { null.a; } catch (error) { String(error.stack); }',
        'Promise.reject(new Error()).catch((error) => String(error.stack));',
        'return found.some((kind) => kind !== "undefined") ? "escaped" : "undefined";',
      ),
    ],
    [
      'an error of the host, thrown by a proxy (CVE-2023-30547)',
      body(
        'const handler = { getPrototypeOf() { (function deeper(...many) { new Error().stack; deeper(...many); })(...Array(1000)); } };',
        'try { throw new Proxy({}, handler); } catch ({ constructor }) { return constructor.constructor("return typeof process")(); }',
      ),
    ],
    [
      'a promise with a species of its own (CVE-2023-37466)',
      body(
        reach,
        'let found = "undefined";',
        'const late = (async () => { (function deeper(...many) { new Error().stack; deeper(...many); })(...Array(1000)); })();',
        'class Species { constructor(executor) { executor((value) => value, (error) => { found = reach(error); }); } }',
        'late.constructor = { [Symbol.species]: Species };',
        'late.then();',
        'return Promise.resolve().then(() => null).then(() => found);',
      ),
    ],
    [
      'the inspection of a result (CVE-2023-37903)',
      body(
        reach,
        'let found = "undefined";',
        'const inspect = (depth, options, tool) => { found = reach(tool ?? options ?? inspect); };',
        'const spy = { [Symbol.for("nodejs.util.inspect.custom")]: inspect, toJSON: () => found };',
        'return { value: spy };',
      ),
    ],
  ])('%s leads nowhere', async (_what, source) => {
    expect(await sandbox.run('javascript', source)).toMatchObject({ ok: true, value: 'undefined' });
  });

  test('a thrown thing with code of its own is described without leaving', async () => {
    const source = body(
      'const spy = new Proxy(new Error("a"), {',
      '  get: (target, name, self) => (name === "stack" ? self.constructor.constructor("return process")() : target[name]),',
      '});',
      'throw spy;',
    );
    expect(await sandbox.run('javascript', source)).toMatchObject({
      ok: false,
      code: 'code_error',
    });
  });
});

test('what one record leaves in its globals and prototypes, the next one of the same process does not see', async () => {
  const sandbox = startSandbox({ children: 1 });
  const source = `
    const seen = [typeof leaked, {}.polluted, [].polluted, JSON.parse("1"), Symbol.for("a").description, typeof Array.prototype.map];
    globalThis.leaked = 'leaked';
    Object.prototype.polluted = Array.prototype.polluted = 'polluted';
    ({}).__proto__.value = 'polluted';
    Array.prototype.map = 1;
    JSON.parse = () => 'polluted';
    const evaluate = () => ({ value: seen.map ? seen : Array.from(seen) });`;
  const clean = ['undefined', null, null, 1, 'a', 'function'];
  for (let record = 0; record < 3; record++) {
    expect(await sandbox.run('javascript', source)).toMatchObject({ ok: true, value: clean });
  }
});

describe.skipIf(withoutPython)('Python', () => {
  const evaluate = (...lines: string[]) =>
    ['import os, sys', 'def evaluate(record):', ...lines.map((line) => `    ${line}`)].join('\n');

  test.each([
    ['a shell', evaluate('return os.system("true") == 0'), { ok: true, value: false }],
    ['the passwords', evaluate('open("/etc/passwd")'), /FileNotFoundError/],
    [
      'the address of a host',
      evaluate('import socket', 'return socket.getaddrinfo("localhost", 80)'),
      /error/i,
    ],
    [
      'a socket',
      evaluate('import socket', 'socket.create_connection(("127.0.0.1", 80))'),
      /PermissionError|OSError/,
    ],
    [
      'a program',
      evaluate(
        'import subprocess',
        'return subprocess.run([sys.executable, "-c", "1"]).returncode',
      ),
      /PermissionError|BlockingIOError/,
    ],
    ['a fork', evaluate('return os.fork()'), /PermissionError|BlockingIOError/],
    ['a fork bomb', evaluate('while True: os.fork()'), /PermissionError|BlockingIOError/],
    ['the processes of the system', evaluate('open("/proc/1/environ")'), /FileNotFoundError/],
    ['the environment', evaluate('return dict(os.environ)'), { ok: true, value: {} }],
    ['devices', evaluate('return os.path.exists("/dev")'), { ok: true, value: false }],
    [
      'a file of 1 GB',
      evaluate('with open("/tmp/a", "wb") as file: file.write(bytes(1 << 30))'),
      /FileNotFoundError|Read-only/,
    ],
    [
      'a file beside its library',
      evaluate('open(os.path.join(os.path.dirname(os.__file__), "a"), "w")'),
      /Read-only|Permission/,
    ],
    ['a file in the root', evaluate('os.mkdir("/a")'), /Read-only|Permission/],
    ['a file in memory', evaluate('os.memfd_create("a")'), /PermissionError/],
    [
      'namespaces of its own',
      evaluate('import ctypes', 'return ctypes.CDLL(None).unshare(0x10000000)'),
      { ok: true, value: -1 },
    ],
    [
      'system calls past the library',
      evaluate(
        'import ctypes',
        'libc = ctypes.CDLL(None)',
        'return [libc.fork(), libc.socket(1, 1, 0), libc.ptrace(16, 1, 0, 0), libc.kill(-1, 0)]',
      ),
      { ok: true, value: [-1, -1, -1, -1] },
    ],
    [
      'more memory than its limit',
      evaluate('import resource', 'resource.setrlimit(resource.RLIMIT_DATA, (-1, -1))'),
      /ValueError|PermissionError/,
    ],
    [
      'the classes of a tuple',
      evaluate(
        'walk = lambda kind: [kind] + [deeper for sub in type.__subclasses__(kind) for deeper in walk(sub)]',
        'found = [kind for kind in walk(().__class__.__bases__[0]) if kind.__name__ in ("Popen", "_wrap_close")]',
        'return [kind.__init__.__globals__["system"]("true") == 0 for kind in found if "system" in kind.__init__.__globals__]',
      ),
      { ok: true, value: [false] },
    ],
  ])('%s is not to be had', async (_what, source, expected) => {
    const outcome = await python.run('python', source);
    expect(outcome).toMatchObject(
      expected instanceof RegExp
        ? { ok: false, code: 'code_error', message: expect.stringMatching(expected) }
        : expected,
    );
  });

  test('what one record leaves in its interpreter, the next one does not see', async () => {
    const sandbox = startSandbox({ children: 1 });
    const source = `
import builtins, json, sys
seen = [hasattr(builtins, "leaked"), "leaked" in sys.modules, json.loads("1")]
builtins.leaked = sys.modules["leaked"] = json
json.loads = lambda text: "polluted"
def evaluate(record): return seen`;
    for (let record = 0; record < 2; record++) {
      expect(await sandbox.run('python', source)).toMatchObject({
        ok: true,
        value: [false, false, 1],
      });
    }
  });
});
