import { expect, test } from 'vitest';
import { misspeltVariables } from '../misspelt-variables.ts';

const known = ['RECORDS_MAX', 'NATS_URL', 'PORT'];
const meantBy = (name: string) => misspeltVariables(known, { [name]: '1' })[0]?.meant;

test('a variable with a letter that is wrong, missing or too much is found', () => {
  for (const name of ['RECORD_MAX', 'RECORDSS_MAX', 'RECORDS_MAY', 'XECORDS_MAX', 'RECORDS_MAXI'])
    expect(meantBy(name), name).toBe('RECORDS_MAX');
  expect(meantBy('NATS_URI')).toBe('NATS_URL');
});

test('one that is known, a file of one that is known, and one that is like none are not', () => {
  for (const name of ['RECORDS_MAX', 'RECORDS_MAX_FILE', 'RECORD_MX', 'POST', 'HOME', 'RECORDS_'])
    expect(meantBy(name), name).toBeUndefined();
});
