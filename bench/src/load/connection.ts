import { connect } from 'node:net';

/** As much of an answer as is read: its status, 0 where none came. */
export interface Answer {
  status: number;
  saysWhenToRetry: boolean;
}

/** One connection of HTTP/1.1 for one request at a time. */
export interface Connection {
  /** Resolves when it is there, or cannot be. */
  opened: Promise<void>;
  send(request: Buffer, answered: (answer: Answer) => void): void;
  /** Can it take another request? */
  isOpen(): boolean;
  /** A request in flight is told at once that no answer came. */
  close(): void;
}

/** A request as it goes over the wire. */
export function requestBytes({ url, method, path, headers, body = '' }: RequestText): Buffer {
  const lines = Object.entries({
    host: new URL(url).host,
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
  });
  const head = [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

interface RequestText {
  url: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Reads no more of an answer than tells where it ends. */
export function openConnection(url: URL): Connection {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  const reader = createReader();
  let waiting: ((answer: Answer) => void) | undefined;
  let isOpen = true;

  function settle(answer: Answer): void {
    const answered = waiting;
    waiting = undefined;
    answered?.(answer);
  }

  function end(): void {
    isOpen = false;
    settle({ status: 0, saysWhenToRetry: false });
  }

  socket.on('data', (chunk) => {
    const head = reader.push(chunk);
    if (!head) return;
    if (head.closes) isOpen = false;
    settle(head);
    if (head.closes) socket.destroy();
  });
  socket.on('error', end).on('close', end);
  return {
    opened: new Promise((resolve) => {
      socket.once('connect', resolve).once('close', () => resolve());
    }),
    send: (request, answered) => {
      waiting = answered;
      socket.write(request);
    },
    isOpen: () => isOpen,
    close: () => {
      end();
      socket.destroy();
    },
  };
}

interface Head extends Answer {
  /** Undefined where the body comes in chunks. */
  lengthBytes: number | undefined;
  closes: boolean;
}

/** Gives the head of an answer when its body has come to the end. */
function createReader(): { push(chunk: Buffer): Head | undefined } {
  let head: Head | undefined;
  let headBytes: Buffer = Buffer.alloc(0);
  let bodyBytes = 0;
  let tail = '';

  function takeBody(body: Buffer): Head | undefined {
    bodyBytes += body.length;
    tail = `${tail}${body.toString('latin1', Math.max(0, body.length - lastChunk.length))}`.slice(
      -lastChunk.length,
    );
    const isWhole =
      head!.lengthBytes === undefined ? tail === lastChunk : bodyBytes >= head!.lengthBytes;
    if (!isWhole) return undefined;
    const whole = head;
    head = undefined;
    headBytes = Buffer.alloc(0);
    bodyBytes = 0;
    tail = '';
    return whole;
  }

  return {
    push(chunk) {
      if (head) return takeBody(chunk);
      headBytes = headBytes.length === 0 ? chunk : Buffer.concat([headBytes, chunk]);
      const end = headBytes.indexOf('\r\n\r\n');
      if (end < 0) return undefined;
      head = readHead(headBytes.toString('latin1', 0, end));
      return takeBody(headBytes.subarray(end + 4));
    },
  };
}

/** JSON has no line breaks of its own, so that this stands at the end alone. */
const lastChunk = '0\r\n\r\n';

function readHead(text: string): Head {
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  return {
    status: Number(text.slice(9, 12)),
    lengthBytes: length === undefined ? undefined : Number(length),
    saysWhenToRetry: /\r\nretry-after: *\d/i.test(text),
    closes: /\r\nconnection: *close/i.test(text),
  };
}
