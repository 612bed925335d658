import { createHash, randomUUID } from 'node:crypto';
import { Failure, invalidAt, unavailable } from '@assay/contracts/failure';
import { AwsClient } from 'aws4fetch';
import type { S3Config } from '../config.ts';
import type {
  ContentAddress,
  Storage,
  TemporaryContent,
  Upload,
  UploadMeasure,
} from './content.ts';

const requestMs = 30_000;
/** A copy inside S3, up to the 5 GiB that one takes. */
const copyMs = 10 * 60_000;
/** Bytes that are read, or written, as fast as somebody else takes or sends them. */
const streamMs = 12 * 60 * 60_000;

const keyOf = ({ organizationId, sha256 }: ContentAddress): string =>
  `content/${organizationId}/${sha256.slice(0, 2)}/${sha256}`;
const uploadKeyOf = ({ organizationId, attachmentId, sha256 }: Upload): string =>
  `uploads/${organizationId}/${attachmentId}/${sha256}`;

/**
 * Content in a bucket. Clients send and fetch the bytes there by presigned URLs; an upload has a
 * key of its own until it was checked.
 */
export function createS3Storage(config: Omit<S3Config, 'STORAGE'>): Storage {
  const bucket = createBucket(config);

  async function collect(upload: Upload): Promise<UploadMeasure | undefined> {
    const key = uploadKeyOf(upload);
    const head = await bucket.request('HEAD', key);
    if (head.status === 404) return undefined;
    const sizeBytes = Number(head.headers.get('content-length'));
    if (sizeBytes !== upload.sizeBytes) return { sizeBytes, sha256: null };
    const object = await bucket.request('GET', key, { timeoutMs: copyMs });
    if (object.status === 404) return undefined;
    const landed = await measure(object);
    const isAsDeclared = landed.sha256 === upload.sha256 && landed.sizeBytes === upload.sizeBytes;
    // A client that still holds the URL could put other bytes there after the check: the condition
    // makes that copy fail.
    if (isAsDeclared) await bucket.copy(key, keyOf(upload), object.headers.get('etag') ?? '');
    return landed;
  }

  /** By a key of its own, as an upload has it, so that the sweep removes what is left of it. */
  async function receive(
    stream: AsyncIterable<Uint8Array>,
    organizationId: string,
    sizeBytes: number,
  ): Promise<TemporaryContent> {
    const key = `uploads/${organizationId}/${randomUUID()}`;
    const hash = createHash('sha256');
    await bucket.put(key, hashed(stream, hash, sizeBytes), sizeBytes);
    const sha256 = hash.digest('hex');
    return {
      sizeBytes,
      sha256,
      keep: () => bucket.copy(key, keyOf({ organizationId, sha256 })),
      discard: () => bucket.remove(key),
    };
  }

  async function read(address: ContentAddress): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { status, body } = await bucket.request('GET', keyOf(address), { timeoutMs: streamMs });
    if (status === 404) return undefined;
    return (body ?? []) as AsyncIterable<Uint8Array>;
  }

  async function removeAbandoned(before: Date): Promise<void> {
    for await (const { key, modifiedAt } of bucket.list('uploads/'))
      if (modifiedAt < before) await bucket.remove(key);
  }

  async function* keysOf(organizationId: string): AsyncGenerator<string> {
    for (const kind of ['content', 'uploads'])
      for await (const { key } of bucket.list(`${kind}/${organizationId}/`)) yield key;
  }

  return {
    count: async (organizationId) => {
      let count = 0;
      for await (const _key of keysOf(organizationId)) count += 1;
      return count;
    },
    erase: async (organizationId) => {
      for await (const key of keysOf(organizationId)) await bucket.remove(key);
    },
    uploadUrl: (upload, expiresAt) => bucket.presign('PUT', uploadKeyOf(upload), expiresAt),
    downloadUrl: (download, expiresAt) =>
      bucket.presign('GET', keyOf(download), expiresAt, {
        'response-content-type': download.contentType,
        'response-content-disposition': download.disposition,
      }),
    collect,
    forgetUpload: (upload) => bucket.remove(uploadKeyOf(upload)),
    remove: (address) => bucket.remove(keyOf(address)),
    removeAbandoned,
    isThrough: false,
    receive,
    read,
  };
}

/** S3 takes as many bytes as were announced, and neither more nor fewer. */
async function* hashed(
  stream: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  let receivedBytes = 0;
  for await (const chunk of stream) {
    receivedBytes += chunk.byteLength;
    if (receivedBytes > sizeBytes)
      throw invalidAt('', `has more than the ${sizeBytes} bytes that were declared`);
    hash.update(chunk);
    yield chunk;
  }
  if (receivedBytes < sizeBytes)
    throw invalidAt('', `has ${receivedBytes} bytes, but ${sizeBytes} were declared`);
}

async function measure({ body }: Response): Promise<UploadMeasure> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      sizeBytes += chunk.byteLength;
    }
  } catch (error) {
    throw away(error);
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

interface RequestOptions {
  query?: Record<string, string>;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/** Signed requests to one bucket. */
function createBucket(config: Omit<S3Config, 'STORAGE'>) {
  const client = new AwsClient({
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    region: config.S3_REGION,
    service: 's3',
    retries: 3,
  });
  const root = new URL(config.S3_ENDPOINT);
  if (config.S3_PATH_STYLE)
    root.pathname = `${root.pathname.replace(/\/$/, '')}/${config.S3_BUCKET}`;
  else root.hostname = `${config.S3_BUCKET}.${root.hostname}`;

  function urlOf(key: string, query: Record<string, string> = {}): URL {
    const url = new URL(root);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${key}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  /** @throws SERVICE_UNAVAILABLE for any answer but success and 404. */
  async function request(
    method: string,
    key: string,
    { query, headers = {}, timeoutMs = requestMs }: RequestOptions = {},
  ) {
    const response = await client
      .fetch(urlOf(key, query), { method, headers, signal: AbortSignal.timeout(timeoutMs) })
      .catch((error: unknown) => {
        throw away(error);
      });
    if (!response.ok && response.status !== 404)
      throw away(new Error(`${method} ${key} was answered ${response.status}`));
    return response;
  }

  return {
    request,
    async presign(
      method: string,
      key: string,
      expiresAt: Date,
      query: Record<string, string> = {},
    ): Promise<string> {
      const seconds = Math.max(1, Math.round((expiresAt.getTime() - Date.now()) / 1000));
      const signed = await client.sign(urlOf(key, { ...query, 'X-Amz-Expires': String(seconds) }), {
        method,
        aws: { signQuery: true },
      });
      // A `+` is a blank here; the signature was made over %20.
      return signed.url.replaceAll('+', '%20');
    },
    /** Sends bytes as they come. @throws the failure of the stream itself, where it has one. */
    async put(key: string, chunks: AsyncIterable<Uint8Array>, sizeBytes: number): Promise<void> {
      // Signed in its address: a request that was signed otherwise is sent again when S3 is busy, and a
      // stream can be sent once.
      const signed = await client.sign(urlOf(key, { 'X-Amz-Expires': String(streamMs / 1000) }), {
        method: 'PUT',
        aws: { signQuery: true },
      });
      const response = await fetch(signed.url, {
        method: 'PUT',
        // Without a body, fetch says by itself that it is empty.
        ...(sizeBytes === 0
          ? {}
          : {
              headers: { 'content-length': String(sizeBytes) },
              body: ReadableStream.from(chunks),
            }),
        duplex: 'half',
        signal: AbortSignal.timeout(streamMs),
      } as RequestInit).catch((error: Error) => {
        const cause = error instanceof Failure ? error : error.cause;
        throw cause instanceof Failure ? cause : away(error);
      });
      await response.arrayBuffer();
      if (!response.ok) throw away(new Error(`PUT ${key} was answered ${response.status}`));
    },
    /**
     * S3 may answer a copy that failed halfway with 200 and an error in the body. `etag`: of the
     * object that is meant, where somebody else could write another one.
     */
    async copy(from: string, to: string, etag?: string): Promise<void> {
      const headers = {
        'x-amz-copy-source': `/${config.S3_BUCKET}/${from}`,
        ...(etag === undefined ? {} : { 'x-amz-copy-source-if-match': etag }),
      };
      const response = await request('PUT', to, { headers, timeoutMs: copyMs });
      const text = await response.text().catch((error) => {
        throw away(error);
      });
      if (!response.ok || !text.includes('<CopyObjectResult'))
        throw away(new Error(`copying ${from} failed: ${text.slice(0, 500)}`));
    },
    async remove(key: string): Promise<void> {
      await request('DELETE', key);
    },
    /**
     * By the first form of the listing, whose marker is a key: a page can be asked for whatever was
     * deleted before it.
     */
    async *list(prefix: string): AsyncGenerator<{ key: string; modifiedAt: Date }> {
      for (let marker = '', isTruncated = true; isTruncated; ) {
        const text = await (await request('GET', '', { query: { prefix, marker } })).text();
        isTruncated = elementOf(text, 'IsTruncated') === 'true';
        for (const [, item] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          marker = elementOf(item!, 'Key')!;
          yield { key: marker, modifiedAt: new Date(elementOf(item!, 'LastModified')!) };
        }
      }
    },
  };
}

/** An element's text. Our keys and dates hold nothing that XML escapes. */
const elementOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];

const away = (error: unknown) =>
  unavailable('The storage of attachments does not answer at the moment.', error);
