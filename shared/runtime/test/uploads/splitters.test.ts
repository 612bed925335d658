import { Failure } from '@assay/contracts/failure';
import { describe, expect, test } from 'vitest';
import { heldBytes } from '../../concurrency/held-bytes.ts';
import { inOrganizationContext } from '../../concurrency/organization-context.ts';
import { entriesOf } from '../../uploads/entries.ts';
import { readLines } from '../../uploads/read-lines.ts';
import {
  createElementSplitter,
  createLineSplitter,
  createRecordSplitter,
  type RawEntry,
  type Splitter,
} from '../../uploads/splitters.ts';

const mib = 1024 * 1024;
const part = Buffer.alloc(30 * mib, 'a');

const splitterOf = (organizationId: string, create = createLineSplitter): Splitter =>
  inOrganizationContext({ organizationId }, () => create(40 * mib));
const push = (splitter: Splitter, chunk: Buffer) => [...splitter.push(chunk)];

describe('an entry of which a part has come', () => {
  test.each([
    ['of lines', createLineSplitter, '', '\n'],
    ['of CSV', createRecordSplitter, '', '\n'],
    ['of an array', createElementSplitter, '[', ','],
  ])('takes memory of its organization until it ends: %s', (_kind, create, start, end) => {
    const splitter = splitterOf('one', create);
    push(splitter, Buffer.from(start));
    push(splitter, part);
    expect(heldBytes()).toBe(part.length);
    push(splitter, part.subarray(0, mib));
    expect(heldBytes()).toBe(part.length + mib);
    const [entry] = push(splitter, Buffer.from(end));
    expect((entry as Buffer).length).toBe(part.length + mib);
    expect(heldBytes()).toBe(0);
  });

  test('is refused where its organization has no memory left, and others have theirs', () => {
    const splitters = Array.from({ length: 12 }, () => splitterOf('one'));
    for (const splitter of splitters) push(splitter, part);
    const other = splitterOf('other');
    push(other, part);
    const endOf = (splitter: Splitter) => push(splitter, Buffer.from('\n'))[0]!;
    expect(endOf(other)).toBeInstanceOf(Buffer);
    const refused = splitters.map(endOf).filter((entry) => entry instanceof Failure);
    expect(refused.length).toBe(4);
    for (const failure of refused)
      expect(failure).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
    expect(heldBytes()).toBe(0);
  });

  test('gives its memory back when it grows past what it may have, and when its body breaks off', async () => {
    const splitter = splitterOf('one');
    push(splitter, part);
    push(splitter, part);
    expect(heldBytes()).toBe(0);
    expect(push(splitter, Buffer.from('\n'))).toMatchObject([{ code: 'PAYLOAD_TOO_LARGE' }]);

    async function* broken() {
      yield part;
      throw new Error('the client is gone');
    }
    const reading = inOrganizationContext({ organizationId: 'one' }, async () => {
      for await (const _line of readLines(broken(), 40 * mib));
    });
    await expect(reading).rejects.toThrow('the client is gone');
    expect(heldBytes()).toBe(0);
  });

  test('gives its memory back when it pauses for too long, and is a failure when it ends', async () => {
    let goOn = () => {};
    const isDropped = new Promise<void>((resolve) => (goOn = resolve));
    async function* pausing() {
      yield Buffer.from('{}\n');
      yield part;
      await isDropped;
      expect(heldBytes()).toBe(0);
      yield Buffer.from('\n{}\n');
    }
    const splitter = splitterOf('one');
    const abandon = () => {
      const isHeld = heldBytes() > 0;
      splitter.abandon();
      if (isHeld) goOn();
    };
    const entries: RawEntry[] = [];
    for await (const found of entriesOf(pausing(), { ...splitter, abandon }, { silenceMs: 20 }))
      entries.push(...found);
    expect(entries).toMatchObject([
      Buffer.from('{}'),
      {
        code: 'VALIDATION_ERROR',
        details: {
          issues: [
            { path: '', message: 'must not pause for a minute after a part of it has come' },
          ],
        },
      },
      Buffer.from('{}'),
    ]);
  });

  test('takes none where it is small, and none of the chunk that it ends', () => {
    const splitter = splitterOf('one');
    const chunk = Buffer.concat([part, Buffer.from('\nab')]);
    expect(push(splitter, chunk)).toHaveLength(1);
    expect(heldBytes()).toBe(0);
    expect(push(splitter, Buffer.from('c\n')).map(String)).toEqual(['abc']);
  });
});
