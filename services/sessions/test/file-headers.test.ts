import { describe, expect, test } from 'vitest';
import { dispositionHeader } from '../src/domain/file-headers.ts';

const windowsDevices = ['CON', 'nul.txt', 'COM1.html', 'lpt9'];

/**
 * Published attacks on names of files: OWASP Unrestricted File Upload and Path Traversal, RFC 6266
 * section 7, CVE-2021-42574 (right to left), reflected file download.
 */
describe('the name that a download carries', () => {
  const carried = (filename: string | null, filePath = 'p') => {
    const header = dispositionHeader({ filename, filePath });
    // One header, of plain characters, whose two parameters are whole.
    const [, plain, full] =
      /^attachment; filename="([\x20-\x7e]*)"; filename\*=UTF-8''([\w.!~%-]*)$/.exec(header)!;
    expect(plain).not.toMatch(/["\\/%]/);
    return { plain, full: decodeURIComponent(full!) };
  };

  test.each([
    ['../../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\win.ini', 'win.ini'],
    ['/etc/cron.d/x', 'x'],
    ['C:\\x\\evil.exe', 'evil.exe'],
    ['\\\\host\\share\\x', 'x'],
    ['....//....//x', 'x'],
    ['..', '_'],
    ['a/..', '_'],
    ['/', 'attachment'],
  ])('is the last part of its path, and no folder: %s', (filename, expected) => {
    expect(carried(filename).full).toBe(expected);
    expect(carried(null, filename).full).toBe(expected);
  });

  test.each([
    ['photo\u202egpj.exe', 'photo_gpj.exe'],
    ['\u2066a\u2069\u200f.txt', '_a__.txt'],
    ['a\0.png', 'a_.png'],
    ['a\x1b[2J\x9b.png', 'a_[2J_.png'],
    ['a\u2028b', 'a_b'],
  ])('has no character that hides another: %j', (filename, expected) => {
    expect(carried(filename).full).toBe(expected);
  });

  test.each([
    'x"; filename="evil.exe',
    'x\r\nset-cookie: a=b\r\n\r\n<script>alert(1)</script>',
    "x''; filename*=UTF-8''evil.exe",
    'x\\"; filename=y',
    '%2e%2e%2fx',
    '%0d%0aset-cookie: a=b',
    '=?utf-8?B?ZXZpbA==?=',
    'setup.bat;calc',
    '日本語 🎉.pdf',
    'x'.repeat(512),
    '€'.repeat(512),
  ])('stays a name: %s', (filename) => {
    expect(carried(filename).full).toBe(
      filename
        .split(/[/\\]/)
        .at(-1)!
        .replaceAll(/[\r\n]/g, '_'),
    );
  });

  test.each(windowsDevices)('is no device of Windows: %s', (filename) => {
    expect(carried(filename).full).toBe(`_${filename}`);
  });
});
