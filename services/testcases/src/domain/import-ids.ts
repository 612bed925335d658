import { createHash } from 'node:crypto';

/**
 * The ids of an import that carries an Idempotency-Key: a repeat makes the same ones, and so stores
 * nothing twice. Each has the form and the order of UUIDv7 (RFC 9562, section 5.7): the
 * milliseconds of the first request, the entry's number in 32 bits, a hash of the key.
 */
export function importIds({ key, startedAt }: { key: string; startedAt: Date }): () => string {
  const time = startedAt.getTime().toString(16).padStart(12, '0');
  const tail = createHash('sha256').update(key).digest('hex').slice(0, 10);
  let ordinal = 0;
  return () => {
    const number = ordinal++;
    const high = ((number >>> 20) & 0xfff).toString(16).padStart(3, '0');
    const middle = (0x8000 | ((number >>> 6) & 0x3fff)).toString(16);
    const low = (number & 0x3f).toString(16).padStart(2, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${middle}-${low}${tail}`;
  };
}
