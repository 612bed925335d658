import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, test } from 'vitest';
import { openSandbox, withoutPython } from './setting.ts';

// Each on both kinds of walls, since the inner ones must hold by themselves.
const sandboxes = {
  'as found here': openSandbox(),
  'without bubblewrap': openSandbox({ bubblewrapPath: '/nowhere/bwrap', withoutWall: true }),
};
const python = sandboxes['as found here'];
const impatient = openSandbox({ timeoutMs: 1000 });
afterAll(() =>
  Promise.all([...Object.values(sandboxes), impatient].map((sandbox) => sandbox.close())),
);

/**
 * Ways out of sandboxes of JavaScript besides those of escapes.test.ts: of node:vm (its
 * documentation, and "Sandboxing JavaScript" of Snyk), vm2 (CVE-2019-10761, CVE-2021-23449,
 * CVE-2022-36067, CVE-2023-32314), SandboxJS and static-eval (CVE-2017-16226), and the `std` and
 * `os` of QuickJS.
 */
describe.each(Object.entries(sandboxes))('published JavaScript %s', (_walls, sandbox) => {
  const kind = 'return typeof process + typeof require + typeof std + typeof os';
  const nothing = 'undefined'.repeat(4);
  test.each([
    ['the constructor of an async function', `return (async () => {}).constructor("${kind}")();`],
    [
      'the constructor of a generator',
      `return (function* () {}).constructor("${kind}")().next().value;`,
    ],
    [
      'the constructor of an async generator',
      `return (async function* () {}).constructor("${kind}")().next().then(({ value }) => value);`,
    ],
    ['Reflect.construct', `return Reflect.construct(Function, ["${kind}"])();`],
    [
      'the constructor of a getter',
      `return Object.getOwnPropertyDescriptor(Map.prototype, "size").get.constructor("${kind}")();`,
    ],
    [
      'the constructor of a bound function',
      `return (() => 1).bind(null).constructor("${kind}")();`,
    ],
    ['the constructor of a proxy', `return new Proxy(() => 1, {}).constructor("${kind}")();`],
    ['the constructor of a symbol', `return Symbol.iterator.constructor.constructor("${kind}")();`],
    ['the record', `return record.inputs.__proto__.constructor.constructor("${kind}")();`],
    [
      'an error of too deep a call (CVE-2019-10761)',
      `const f = () => f(); try { f(); } catch (error) { return error.constructor.constructor("${kind}")(); }`,
    ],
    [
      'an error of a wrong type (CVE-2021-23449)',
      `try { Symbol() + ""; } catch (error) { return error.constructor.constructor("${kind}")(); }`,
    ],
    [
      'an error of import() (CVE-2021-23449)',
      `return import("x").catch((error) => error.constructor.constructor("${kind}")());`,
    ],
    [
      'structured call sites (CVE-2022-36067)',
      `let found = "${nothing}"; Error.prepareStackTrace = (_, frames) => { for (const frame of frames ?? []) found = frame.getThis?.()?.constructor?.constructor?.("${kind}")?.() ?? found; return found; }; new Error().stack; return found;`,
    ],
    [
      'a proxy in the place of Function (CVE-2023-32314)',
      `const error = new Error(); error.name = { toString: new Proxy(() => "", { apply: (target, self, args) => args.constructor.constructor("${kind}")() }) }; try { return String(error.stack && "") || "${nothing}"; } catch { return "${nothing}"; }`,
    ],
    [
      'a function called by the engine (CVE-2017-16226)',
      `return [1].map.call.call(Function, null, "${kind}")();`,
    ],
    ['arguments and their callee', `return arguments.callee.constructor("${kind}")();`],
    [
      'the iterator of a text',
      `return ""[Symbol.iterator]().constructor.constructor("${kind}")();`,
    ],
    [
      'a realm of its own',
      `return typeof ShadowRealm === "undefined" && typeof $262 === "undefined" ? "${nothing}" : "escaped";`,
    ],
    [
      'functions of the shell of QuickJS',
      `return ["print", "scriptArgs", "bjson", "__loadScript", "loadScript", "gc", "evalScript", "load", "read", "system"].every((name) => typeof globalThis[name] === "undefined") ? "${nothing}" : "escaped";`,
    ],
  ])('%s leads nowhere', async (_what, source) => {
    expect(
      await sandbox.run('javascript', `function evaluate(record) { ${source} }`),
    ).toMatchObject({ ok: true, value: nothing });
  });

  test.each([
    'std',
    'os',
    'qjs:std',
    'qjs:os',
    'bjson',
    'node:fs',
    'file:///etc/passwd',
    '/etc/passwd',
    '/proc/self/environ',
    './metric.js',
  ])('the module %s is not to be had', async (name) => {
    const source = `const evaluate = () => import(${JSON.stringify(name)}).then((module) => Object.keys(module));`;
    expect(await sandbox.run('javascript', source)).toMatchObject({
      ok: false,
      code: 'code_error',
    });
  });

  test.each([
    [
      'a resized buffer',
      'const a = new ArrayBuffer(8, { maxByteLength: 1e6 }); const b = new Uint32Array(a); a.resize?.(0); return b.length + (b[9] ?? 0);',
    ],
    [
      'a length that changes while a list is sorted',
      'const a = Array.from({ length: 999 }, (_, i) => i); a.sort((x, y) => { a.length = 0; return y - x; }); return a.length >= 0 ? 0 : 1;',
    ],
    [
      'a length that changes while a list is joined',
      'const a = Array(500).fill(0); a[3] = { toString() { a.length = 0; return ""; } }; a.join(); return 0;',
    ],
    [
      'a number that changes a buffer while it is written (CVE-2023-48183 and its kin)',
      'const b = new Uint8Array(1e4); b.fill({ valueOf() { b.buffer.transfer?.(0); return 7; } }); return 0;',
    ],
    [
      'a species that gives another list',
      'class A extends Array { static get [Symbol.species]() { return function () { return new Uint8Array(1); }; } } try { new A(1e3).fill(1).concat([1]); } catch {} return 0;',
    ],
    [
      'a pattern that changes itself',
      'const r = /a/g; r.exec = () => ({ index: 2 ** 31, length: 2 ** 31 }); "aaa".replace(r, "b"); return 0;',
    ],
    ['weak things without end', 'for (let i = 0; i < 1e5; i++) new WeakRef({}); return 0;'],
  ])('%s breaks nothing', async (_what, source) => {
    const outcome = await sandbox.run('javascript', `function evaluate() { ${source} }`);
    expect(outcome.ok || outcome.code === 'code_error').toBe(true);
    expect(await sandbox.run('javascript', 'const evaluate = () => 6')).toMatchObject({
      ok: true,
      value: 6,
    });
  });
});

/**
 * Ways out of jails of Python: HackTricks (Bypass Python sandboxes), the list of PyJails of
 * jailctf, CVE-2023-37271 (RestrictedPython), and those out of containers.
 */
describe.skipIf(withoutPython)('published Python', () => {
  const evaluate = (...lines: string[]) =>
    ['import os, sys', 'def evaluate(record):', ...lines.map((line) => `    ${line}`)].join('\n');
  const refused =
    /FileNotFoundError|PermissionError|OSError|BlockingIOError|ProcessLookupError|Read-only|NotADirectoryError|ConnectionRefusedError|gaierror/;

  test.each([
    [
      'objects of the collector',
      evaluate(
        'import gc',
        'return [1 for o in gc.get_objects() if type(o) is dict and "ASSAY_SECRET" in str(list(o))[:10000]]',
      ),
      [],
    ],
    [
      'frames above its own',
      evaluate(
        'frame = sys._getframe()',
        'while frame.f_back: frame = frame.f_back',
        'return [n for n in frame.f_globals if "SECRET" in n]',
      ),
      [],
    ],
    [
      'frames of a generator (CVE-2023-37271)',
      evaluate(
        'g = (g.gi_frame.f_back for _ in [1])',
        'return [n for n in next(g).f_builtins if "SECRET" in n]',
      ),
      [],
    ],
    [
      'the arguments of the processes',
      evaluate(
        'return [f for f in os.listdir("/proc") if f.isdigit()] if os.path.exists("/proc") else []',
      ),
      [],
    ],
    [
      'a symbolic link to what is outside',
      evaluate('os.symlink("/etc/passwd", "/tmp/a")', 'open("/tmp/a")'),
      refused,
    ],
    ['a hard link', evaluate('os.link(sys.executable, "/tmp/a")'), refused],
    ['the root of another process', evaluate('return os.listdir("/proc/1/root")'), refused],
    ['its own memory', evaluate('open("/proc/self/mem", "rb")'), refused],
    [
      'the directory above the root',
      evaluate('return sorted(set(os.listdir("/../../..")) - set(os.listdir("/")))'),
      [],
    ],
    ['a root of its own', evaluate('os.chroot("/tmp")'), refused],
    [
      'a mount',
      evaluate(
        'import ctypes',
        'return ctypes.CDLL(None).mount(b"none", b"/tmp", b"tmpfs", 0, None)',
      ),
      -1,
    ],
    [
      'the kernel’s keys, and perf, bpf, userfaultfd, io_uring',
      evaluate(
        'import ctypes',
        'call = ctypes.CDLL(None).syscall',
        'return [call(n, 0, 0, 0, 0, 0) for n in (250, 298, 321, 323, 425)]',
      ),
      [-1, -1, -1, -1, -1],
    ],
    [
      'memory of its parent',
      evaluate(
        'import ctypes',
        'return ctypes.CDLL(None).process_vm_readv(os.getppid(), 0, 0, 0, 0, 0)',
      ),
      -1,
    ],
    [
      'a signal to its parent',
      evaluate('os.kill(os.getppid(), 9)', 'return "sent"'),
      /PermissionError|ProcessLookupError|ended its process/,
    ],
    [
      'a signal to all',
      evaluate('os.kill(-1, 9)', 'return "sent"'),
      /PermissionError|ProcessLookupError|ended its process/,
    ],
    [
      'a server',
      evaluate('import socket', 's = socket.socket()', 's.bind(("0.0.0.0", 0))', 's.listen()'),
      refused,
    ],
    [
      'a name server',
      evaluate(
        'import socket',
        's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)',
        's.sendto(b"x", ("8.8.8.8", 53))',
      ),
      refused,
    ],
    [
      'a raw packet',
      evaluate('import socket', 'socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'),
      refused,
    ],
    [
      'a socket of the container engine',
      evaluate(
        'import socket',
        's = socket.socket(socket.AF_UNIX)',
        's.connect("/var/run/docker.sock")',
      ),
      refused,
    ],
    [
      'metadata of the cloud',
      evaluate(
        'import urllib.request',
        'urllib.request.urlopen("http://169.254.169.254/", timeout=1)',
      ),
      /URLError|PermissionError|OSError|ModuleNotFound/,
    ],
    [
      'a terminal',
      evaluate('import pty', 'pty.fork()'),
      /PermissionError|OSError|BlockingIOError|ModuleNotFound|out of pty/,
    ],
    [
      'a program of another kind',
      evaluate('os.execv(sys.executable, [sys.executable, "-c", "1"])'),
      /PermissionError|OSError|ended its process|BlockingIOError/,
    ],
    ['rights of root', evaluate('os.setuid(0)', 'return os.path.exists("/etc/shadow")'), false],
  ])('%s is not to be had', async (_what, source, expected) => {
    const outcome = await python.run('python', source);
    if (!(expected instanceof RegExp))
      expect(outcome).toMatchObject(
        outcome.ok ? { value: expected } : { message: expect.stringMatching(refused) },
      );
    else
      expect(outcome).toMatchObject({
        ok: false,
        code: 'code_error',
        message: expect.stringMatching(expected),
      });
  });

  test.each([
    [
      'threads without end',
      evaluate(
        'import threading, time',
        'while True:',
        '    try: threading.Thread(target=time.sleep, args=(1000,)).start()',
        '    except RuntimeError: pass',
      ),
    ],
    [
      'forks of a thread',
      evaluate(
        'import threading',
        'def fork():',
        '    while True:',
        '        try: os.fork()',
        '        except OSError: pass',
        'threading.Thread(target=fork).start()',
        'while True: pass',
      ),
    ],
    [
      'a wide number',
      evaluate('return len(str(10 ** 10 ** 8)) if hasattr(sys, "x") else (7 ** 10 ** 9) % 2'),
    ],
    [
      'a pipe that nobody reads',
      evaluate('r, w = os.pipe()', 'while True: os.write(w, b"x" * 65536)'),
    ],
    [
      'a class that takes long to be compared',
      evaluate(
        'class A:',
        '    def __eq__(self, other):',
        '        while True: pass',
        '    __hash__ = None',
        'return A() == A()',
      ),
    ],
  ])('%s ends at the deadline or at its limit, and others go on', async (_what, source) => {
    expect(await impatient.run('python', source)).toMatchObject({ ok: false });
    expect(await python.run('python', 'def evaluate(record):\n    return 6')).toMatchObject({
      ok: true,
      value: 6,
    });
  });

  test.each([
    ['a wrong address', evaluate('import ctypes', 'ctypes.string_at(0)')],
    [
      'broken bytecode',
      evaluate(
        'evaluate.__code__ = evaluate.__code__.replace(co_code=b"\\xff" * 64)',
        'return evaluate(record)',
      ),
    ],
    ['an abort', evaluate('os.abort()')],
  ])(
    'its process broken by %s is an error of the code, and others go on',
    async (_what, source) => {
      expect(await python.run('python', source)).toMatchObject({ ok: false, code: 'code_error' });
      expect(await python.run('python', 'def evaluate(record):\n    return 6')).toMatchObject({
        ok: true,
        value: 6,
      });
    },
  );

  test('nothing of it is left in the folder for temporary files', async () => {
    expect((await readdir(tmpdir())).filter((name) => name === 'assay-jail')).toEqual([]);
    await python.run('python', evaluate('open("/tmp/assay-jail", "w").write("x")'));
    expect((await readdir(tmpdir())).filter((name) => name === 'assay-jail')).toEqual([]);
  });
});
