import { connect as openSocket } from 'node:net';
import { poll } from '@assay/testing/poll';
import type { RawReply } from './setting.ts';

/**
 * A client's connection, over which a test sends what it likes and reads one reply after the other.
 */
export interface Connection {
  write(data: string | Uint8Array): void;
  /** The next reply, with a Content-Length or without a body. */
  reply(): Promise<RawReply>;
  /** Has anything come that was not taken as a reply? */
  received(): boolean;
  /** The replies that are there, and what came after them. */
  allReplies(): { replies: RawReply[]; rest: string };
  /** All that came, as it came. */
  allBytes(): string;
  /** Says that nothing more will come, and goes on reading. */
  finish(): void;
  /** Reads nothing from now on. */
  stopReading(): void;
  /** Goes away as a process that dies does: with a reset. */
  vanish(): void;
  isClosed(): boolean;
}

export function connect(url: string): Connection {
  const { hostname, port } = new URL(url);
  const socket = openSocket(Number(port), hostname);
  let pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  socket.on('error', () => undefined);

  function takeReply(): RawReply | undefined {
    const received = Buffer.concat(pieces);
    pieces = [received];
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const [first, ...fields] = received.toString('latin1', 0, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      fields.map((field) => [field.split(': ')[0]!.toLowerCase(), field.replace(/^.*?: /, '')]),
    );
    const end = headEnd + 4 + Number(headers['content-length'] ?? 0);
    if (received.length < end) return undefined;
    const text = received.toString('utf8', headEnd + 4, end);
    pieces = [received.subarray(end)];
    return { status: Number(first!.split(' ')[1]), headers, text };
  }

  const allBytes = () => Buffer.concat(pieces).toString('latin1');
  return {
    write: (data) => void socket.write(data),
    reply: () => poll('a reply', takeReply),
    received: () => allBytes() !== '',
    allReplies: () => {
      const replies: RawReply[] = [];
      for (let reply = takeReply(); reply; reply = takeReply()) replies.push(reply);
      return { replies, rest: allBytes() };
    },
    allBytes,
    finish: () => void socket.end(),
    stopReading: () => void socket.pause(),
    vanish: () => void socket.resetAndDestroy(),
    isClosed: () => socket.closed,
  };
}

/** Sends the bytes, and gives the replies that came until the gateway closed the connection. */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<RawReply[]> {
  const client = connect(url);
  client.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  await poll('the connection is closed', client.isClosed);
  const { replies, rest } = client.allReplies();
  if (rest !== '') throw new Error(`What came is no reply: ${rest}`);
  return replies;
}

/** The head of a request below /v2. */
export const headOf = (
  method: string,
  path: string,
  headers: Record<string, string | number>,
): string =>
  [
    `${method} /v2${path} HTTP/1.1`,
    'host: test',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
