import { JsonText, StoredJsonText } from '@assay/contracts/payload';
import { withPreviews } from '@assay/runtime/json/preview';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const show = (payload: JsonText | StoredJsonText, characters: number, pointers: string[] = []) =>
  withPreviews({ outputs: payload, id: 'kept' }, ['outputs'], { characters, pointers }).then(
    ({ outputs, ...rest }) => ({ ...rest, outputs: (outputs as JsonText).parse() }),
  );

test('a preview is the beginning of the text, and says how long the whole is', async () => {
  const text = '{"a":"Where is it?"}';
  expect(await show(JsonText.of(JSON.parse(text)), 5)).toEqual({
    id: 'kept',
    outputs: { text: '{"a":', bytes: 20, isCut: true },
  });
  expect((await show(new JsonText(text), 2000)).outputs).toEqual({
    text,
    bytes: 20,
    isCut: false,
  });
  expect((await show(new JsonText(text), 0)).outputs).toEqual({ text: '', bytes: 20, isCut: true });
});

test('a preview is cut between characters of any length, and never within one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme-composite', maxLength: 60 }),
      fc.integer({ min: 0, max: 80 }),
      async (value, characters) => {
        const whole = JSON.stringify({ value });
        const bytes = Buffer.from(whole);
        const { outputs } = await show(new JsonText(bytes), characters);
        const { text, isCut } = outputs as { text: string; isCut: boolean };
        expect(whole.startsWith(text)).toBe(true);
        expect(text.isWellFormed()).toBe(true);
        expect(text.length).toBeLessThanOrEqual(characters);
        expect(text.length).toBeGreaterThanOrEqual(Math.min(whole.length, characters) - 1);
        expect(isCut).toBe(text !== whole);
      },
    ),
  );
});

test('of a payload in pieces only the first is read, and none where its beginning is kept', async () => {
  let pieces = 0;
  async function* read() {
    for (const piece of ['{"a":', '"b"}']) {
      pieces += 1;
      yield Buffer.from(piece);
    }
  }
  expect((await show(new StoredJsonText(9, read), 3)).outputs).toEqual({
    text: '{"a',
    bytes: 9,
    isCut: true,
  });
  expect(pieces).toBe(1);
  const head = Buffer.from('{"a":"b"}');
  expect((await show(new StoredJsonText(9, read, head), 100)).outputs).toMatchObject({
    text: '{"a":"b"}',
    isCut: false,
  });
  expect(pieces).toBe(1);
});

test('pointers give the values that are there: strings as their characters, all else as JSON', async () => {
  const payload = JsonText.of({ answer: 'Ask "Ada"', steps: [{ n: 1 }], 'x/y': null });
  const { fields } = await show(payload, 6, [
    '/outputs/answer',
    '/outputs/steps/0',
    '/outputs/x~1y',
    '/outputs/missing',
    '/outputs/toString',
    '/inputs/answer',
  ]);
  expect(fields).toEqual({
    '/outputs/answer': { text: 'Ask "A', bytes: 13, isCut: true },
    '/outputs/steps/0': { text: '{"n":1', bytes: 7, isCut: true },
    '/outputs/x~1y': { text: 'null', bytes: 4, isCut: false },
  });
});

test('numbers have the digits that were sent', async () => {
  const payload = new JsonText('{"id":12345678901234567890,"all":[1.50,1e400]}');
  const { fields } = await show(payload, 40, ['/outputs/id', '/outputs/all']);
  expect(fields).toEqual({
    '/outputs/id': { text: '12345678901234567890', bytes: 20, isCut: false },
    '/outputs/all': { text: '[1.50,1e400]', bytes: 12, isCut: false },
  });
});
