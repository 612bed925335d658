import { Failure } from '@assay/contracts/failure';
import { ForeignReply } from '@assay/runtime/bus/asking';
import { expect, test } from 'vitest';
import { patiently } from '../src/patience.ts';

const sentence = 'Waiting for identity, which has not answered yet: this machine is busy.';

test('a start goes on once its busy service answers, and says once which one it waits for', async () => {
  const said: string[] = [];
  let asked = 0;
  const ask = async () => {
    asked += 1;
    if (asked < 3)
      throw new Failure(
        'SERVICE_UNAVAILABLE',
        'A part of the service does not answer at the moment.',
      );
    return 'ready';
  };
  expect(await patiently(ask, { say: (line) => said.push(line), sentence })).toBe('ready');
  expect(said).toEqual([sentence]);
});

test.each([
  ['a refusal', new Failure('CONFLICT', 'There is one already.')],
  [
    'a reply of another installation',
    new Failure('SERVICE_UNAVAILABLE', 'It does not answer.', {
      cause: new ForeignReply('signed by another secret'),
    }),
  ],
])('a start ends with %s at once', async (_name, refused) => {
  let asked = 0;
  const ask = () => {
    asked += 1;
    return Promise.reject(refused);
  };
  await expect(patiently(ask, { sentence })).rejects.toBe(refused);
  expect(asked).toBe(1);
});
