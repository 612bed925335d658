import { PassThrough } from 'node:stream';
import { version } from '@assay/contracts/version';
import { describe, expect, test } from 'vitest';
import { createLog, logReady } from '../log.ts';

function linesOf(write: (log: ReturnType<typeof createLog>) => void): string {
  const destination = new PassThrough();
  write(createLog({ name: 'test', level: 'info', destination }));
  return String(destination.read());
}

/**
 * Published attacks on logs and on those who read them: OWASP Log Injection (CWE-117), escape
 * sequences of terminals (CWE-150), Trojan Source (CVE-2021-42574).
 */
describe('a value that a client chose', () => {
  test.each([
    ['a line end', 'a\n{"level":"info","msg":"forged"}'],
    ['CR LF', 'a\r\n{"level":"info","msg":"forged"}'],
    ['the end of its text', 'a","level":"fatal","msg":"forged'],
    ['a backslash before the end', 'a\\","level":"fatal","msg":"forged'],
    ['a sequence of a terminal', '\x1b[2J\x1b]0;title\x07\x1b[31m'],
    ['a sequence of a terminal in one character (CSI, OSC)', '\x9b2J\x9d0;title\x9c'],
    ['NUL, backspace and delete', 'a\0\b\x7f'],
    ['line ends of Unicode', 'a\u2028b\u2029c\x85d'],
    ['right to left', 'user\u202e\u2066 admin\u2069\u200f'],
    ['half a character', 'a\ud800b'],
  ])('stays one value of one line in plain characters: %s', (_name, value) => {
    const text = linesOf((log) =>
      log.warn({ path: value, err: new Error(value), nested: { [value]: [value] } }, value),
    );
    expect(text.endsWith('\n')).toBe(true);
    const line = text.slice(0, -1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
    expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
    const told = JSON.parse(line) as {
      level: string;
      path: string;
      msg: string;
      err: { message: string };
    };
    expect(told.level).toBe('warn');
    if (!value.includes('\ud800'))
      expect([told.path, told.msg, told.err.message]).toEqual([value, value, value]);
  });

  test('is left out where it is a key or a cookie', () => {
    const text = linesOf((log) => {
      log.warn({ key: 'secret', authorization: 'secret', cookie: 'secret' }, 'told');
      log.warn({
        headers: { authorization: 'secret', cookie: 'secret', 'set-cookie': ['secret'] },
      });
    });
    expect(text).toContain('told');
    expect(text).not.toContain('secret');
  });

  test('of a megabyte leaves a few kilobytes in the line', () => {
    const value = 'x'.repeat(1024 * 1024);
    const text = linesOf((log) =>
      log.error(
        { err: new Error(value, { cause: new Error(value) }), path: value, list: [{ value }] },
        value,
      ),
    );
    expect(text.length).toBeLessThan(100_000);
    expect(JSON.parse(text)).toMatchObject({ level: 'error', err: { type: 'Error' } });
  });
});

test('a process says at its start where it listens, and of which version it is', () => {
  const text = linesOf((log) =>
    logReady(log, {
      url: 'http://127.0.0.1:1',
      config: { LOG_LEVEL: 'info', ASSAY_REVISION: 'abc' },
    }),
  );
  expect(JSON.parse(text)).toMatchObject({
    level: 'info',
    url: 'http://127.0.0.1:1',
    version,
    revision: 'abc',
    msg: 'ready',
  });
});
