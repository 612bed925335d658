import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { hashOf } from '@assay/runtime/api-key';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file as it is first asked for. */
export interface FileContent {
  type: string;
  content: string | Buffer;
}

/** A file with the forms in which it is sent. */
interface KeptFile {
  type: string;
  etag: string;
  bytes: Buffer;
  br: Buffer | undefined;
  gzip: Buffer | undefined;
}

/**
 * Returns the handler of one file, which is made and compressed when it is first asked for, and
 * kept: compressing for each request would let anybody keep a core busy.
 */
export function keptFile(make: () => FileContent, cacheControl = 'no-cache') {
  let kept: KeptFile | undefined;
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    kept ??= keep(make());
    return send(request, reply.header('cache-control', cacheControl), kept);
  };
}

/** Pictures are compressed as they are. */
const compressible = /^(text\/|application\/json|image\/svg)/;

function keep({ type, content }: FileContent): KeptFile {
  const bytes = Buffer.from(content);
  const isCompressible = compressible.test(type);
  return {
    type,
    etag: `"${hashOf(bytes.toString('latin1')).slice(0, 27)}"`,
    bytes,
    br: isCompressible ? brotliCompressSync(bytes, brotliOptions(bytes)) : undefined,
    gzip: isCompressible ? gzipSync(bytes, { level: 9 }) : undefined,
  };
}

/** The step to the best quality costs ten times the time, and saves a few bytes of a hundred. */
const brotliOptions = ({ length }: Buffer) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: length },
});

function send({ headers }: FastifyRequest, reply: FastifyReply, file: KeptFile): FastifyReply {
  void reply.header('etag', `W/${file.etag}`).header('vary', 'accept-encoding').type(file.type);
  const known = headers['if-none-match']?.split(',').map((etag) => etag.trim().replace(/^W\//, ''));
  if (known?.some((etag) => etag === file.etag || etag === '*')) return reply.code(304).send();
  const coding = codingOf(headers['accept-encoding'], file);
  if (coding === undefined) return reply.send(file.bytes);
  return reply.header('content-encoding', coding).send(file[coding]);
}

/** Returns the smallest coding that the client takes (RFC 9110 section 12.5.3). */
function codingOf(accepted: string | undefined, file: KeptFile): 'br' | 'gzip' | undefined {
  const refused = /^(br|gzip)\s*;\s*q=0(\.0*)?$/;
  const taken = (accepted ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => !refused.test(coding))
    .map((coding) => coding.split(';', 1)[0]!.trim());
  return (['br', 'gzip'] as const).find((coding) => file[coding] && taken.includes(coding));
}
