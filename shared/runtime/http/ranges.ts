import type { IncomingHttpHeaders } from 'node:http';
import type { BytesReply } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { Reply } from './reply.ts';

/**
 * Replies with stored bytes: with the whole, with the one part that `Range` names, or with 304 where
 * the client has them already (RFC 9110 sections 13 and 14). Of several parts it sends the whole, as
 * a server may.
 * @throws RANGE_NOT_SATISFIABLE for a part that begins after the last byte.
 */
export function bytesReply(
  { contentType, byteLength, etag, filename, read }: BytesReply,
  headers: IncomingHttpHeaders,
): Reply {
  const tag = `"${etag}"`;
  const common = {
    etag: tag,
    'accept-ranges': 'bytes',
    // Whoever may read it may change: it is kept by the one client, and asked for again each time.
    'cache-control': 'private, no-cache',
  };
  if (names(headers['if-none-match'], tag))
    return { status: 304, headers: common, body: undefined };
  const ifRange = headers['if-range'];
  const isSame = ifRange === undefined || ifRange === tag;
  const part = isSame ? partOf(headers.range, byteLength) : undefined;
  const { from, to } = part ?? { from: 0, to: byteLength };
  return {
    status: part ? 206 : 200,
    headers: {
      ...common,
      'content-type': contentType,
      'content-length': String(to - from),
      ...(part ? { 'content-range': `bytes ${from}-${to - 1}/${byteLength}` } : {}),
      ...(filename === undefined
        ? {}
        : { 'content-disposition': `attachment; filename="${filename}"` }),
    },
    body: read(from, to),
  };
}

/** Does a list of tags have this one? Weak tags count too, as the comparison is weak. */
const names = (list: string | undefined, tag: string): boolean =>
  list !== undefined &&
  (list.trim() === '*' || list.split(',').some((one) => one.trim().replace(/^W\//, '') === tag));

/** The part that a single range names; undefined for none, for several and for what is no range. */
function partOf(
  range: string | undefined,
  byteLength: number,
): { from: number; to: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, byteLength - Number(last)) : Number(first);
  const to = first === '' || last === '' ? byteLength : Math.min(byteLength, Number(last) + 1);
  // A range that ends before it begins is no range (section 14.1.1).
  if (first !== '' && last !== '' && Number(last) < from) return undefined;
  if (from >= byteLength)
    throw new Failure(
      'RANGE_NOT_SATISFIABLE',
      `There are ${byteLength} bytes: the range begins after them.`,
      { details: { byteLength } },
    );
  return { from, to };
}
