import { afterAll, describe, expect, test } from 'vitest';
import { openSandbox, withoutPython } from './setting.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const evaluate = (...lines: string[]) =>
  ['import os, sys', 'def evaluate(record):', ...lines.map((line) => `    ${line}`)].join('\n');

/**
 * By number, since a library may have no name for it: on x64 and on arm64, with arguments that the
 * kernel would take.
 */
const refused: [name: string, x64: number | undefined, arm64: number, ...args: number[]][] = [
  ['personality', 135, 92, 0xffffffff],
  ['modify_ldt', 154, -1, 0, 0, 0],
  ['vmsplice', 278, 75, 1, 0, 0, 0],
  ['mq_open', 240, 180, 0, 0, 0, 0],
  ['semget', 64, 190, 0, 1, 0o1600],
  ['shmget', 29, 194, 0, 4096, 0o1600],
  ['pidfd_open', 434, 434, 1, 0],
  ['inotify_init1', 294, 26, 0],
  ['set_mempolicy', 238, 237, 0, 0, 0],
  ['move_pages', 279, 239, 0, 0, 0, 0, 0, 0],
  ['seccomp', 317, 277, 2, 0, 0],
  ['prctl(PR_SET_SECCOMP)', 157, 167, 22, 1],
  ['prctl(PR_SET_DUMPABLE)', 157, 167, 4, 1],
  ['io_uring_setup', 425, 425, 1, 0],
  ['userfaultfd', 323, 282, 1],
  ['memfd_create', 319, 279, 0, 0],
  ['ptrace', 101, 117, 0, 0, 0, 0],
  ['bpf', 321, 280, 0, 0, 0],
  ['keyctl', 250, 219, 0, -3, 0],
  ['kill', 62, 129, 1, 0],
  ['sched_setaffinity', 203, 122, 0, 0, 0],
  ['a call that no kernel has yet', 4000, 4000],
];

describe.skipIf(withoutPython || (process.arch !== 'x64' && process.arch !== 'arm64'))(
  'a system call that no metric needs is refused',
  () => {
    const calls = refused.map(
      ([name, x64, arm64, ...args]) =>
        [name, process.arch === 'arm64' ? arm64 : x64, args] as const,
    );

    test.each(calls.filter(([, number]) => number !== undefined && number >= 0))(
      '%s',
      async (_name, number, args) => {
        const source = evaluate(
          'import ctypes',
          'libc = ctypes.CDLL(None, use_errno=True)',
          'libc.syscall.argtypes = [ctypes.c_long] * 7',
          `result = libc.syscall(${[number, ...args, ...Array(6 - args.length).fill(0)].join(', ')})`,
          'return [result, ctypes.get_errno()]',
        );
        const refusal = await sandbox.run('python', source);
        expect(refusal).toMatchObject({ ok: true, value: [-1, number! < 424 ? 1 : 38] });
      },
    );
  },
);

describe.skipIf(withoutPython)('Python', () => {
  test.each([
    ['json', 'return json.loads(json.dumps({"a": [1, None]}))', { a: [1, null] }],
    ['re', 'return re.sub("[aeiou]+", "-", "sequoia")', 's-q-'],
    ['math', 'return math.comb(10, 3)', 120],
    ['statistics', 'return statistics.median([3, 1, 2])', 2],
    [
      'datetime',
      'return (datetime.date(2026, 3, 1) - datetime.timedelta(days=1)).isoformat()',
      '2026-02-28',
    ],
    ['random', 'return 0 <= random.SystemRandom().random() < 1 and 0 <= random.random() < 1', true],
    ['decimal', 'return str(decimal.Decimal(1) / decimal.Decimal(8))', '0.125'],
    ['unicodedata', 'return unicodedata.normalize("NFC", "e\\u0301")', 'é'],
    ['difflib', 'return difflib.SequenceMatcher(None, "abcd", "bcde").ratio()', 0.75],
    ['collections', 'return collections.Counter("abca").most_common(1)', [['a', 2]]],
    [
      'hashlib',
      'return [hashlib.sha256(b"").hexdigest()[:8], hashlib.md5(b"").hexdigest()[:8]]',
      ['e3b0c442', 'd41d8cd9'],
    ],
    ['zlib', 'return zlib.decompress(zlib.compress(b"text")).decode()', 'text'],
    ['ctypes', 'return ctypes.CDLL(None).abs(-3)', 3],
    [
      'time',
      'return time.sleep(0.001) is None and time.time() > time.monotonic() - time.perf_counter()',
      true,
    ],
    ['uuid', 'return len(str(uuid.uuid4()))', 36],
    ['xml.etree.ElementTree', 'return xml.etree.ElementTree.fromstring("<a><b/></a>")[0].tag', 'b'],
    ['urllib.parse', 'return urllib.parse.quote("a b")', 'a%20b'],
  ])('has %s of its standard library', async (module, line, value) => {
    expect(await sandbox.run('python', evaluate(`import ${module}`, line))).toEqual({
      ok: true,
      value,
      reasoning: undefined,
    });
  });

  test('sees its own library and what that needs, and no file that only its owner may read', async () => {
    const source = evaluate(
      'own = [path for path in sys.path if os.path.isdir(path)]',
      'seen = []',
      'for folder, folders, files in os.walk("/"):',
      '    if not any(folder == path or folder.startswith(path + "/") for path in own):',
      '        seen += [os.path.join(folder, file) for file in files]',
      '    elif any(not os.stat(os.path.join(folder, file)).st_mode & 4 for file in files):',
      '        seen.append(folder)',
      '    if os.path.basename(folder) in ("site-packages", "dist-packages"): seen += files + folders',
      'return seen',
    );
    const outcome = await sandbox.run('python', source);
    expect(outcome).toMatchObject({ ok: true });
    const files = (outcome as unknown as { value: string[] }).value;
    expect(files.length).toBeGreaterThan(0);
    expect(
      files.filter(
        (file) =>
          !/\/(lib[^/]+\.so[.\d]*|ld-[^/]+\.so[.\d]*|ld\.so\.cache|python[\d.]*)$/.test(file),
      ),
    ).toEqual([]);
  });
});
