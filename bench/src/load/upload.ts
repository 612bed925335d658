import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { type Loads, lineNumber, type Upload } from '../load.ts';
import { countError, isSuccess } from './answers.ts';

/** Sent at once: large enough that sending costs nothing. */
const pieceBytesMin = 64 * 1024;

export const upload: Loads['upload'] = async (load, signal) => {
  const errors: Record<string, number> = {};
  const startMs = performance.now();
  const counts = await Promise.all(
    Array.from({ length: load.bodiesAtOnce }, () => uploadOne(load, signal, errors)),
  );
  const accepted = counts.reduce((sum, count) => sum + count, 0);
  return { accepted, perSecond: (accepted / (performance.now() - startMs)) * 1000, errors };
};

/** How many lines were answered with a 2xx. */
async function uploadOne(
  { url, method, path, headers, lines, until }: Upload,
  signal: AbortSignal,
  errors: Record<string, number>,
) {
  const request = openRequest(new URL(path, url), {
    method,
    headers: { ...headers, 'transfer-encoding': 'chunked' },
  });
  const answered = new Promise<number>((resolve, reject) => {
    request
      .on('error', reject)
      .once('response', (response) => readAnswers(response, errors).then(resolve, reject));
  });
  const sent =
    'count' in until
      ? sendLines(request, lines, until.count)
      : sendFor(request, lines, until.durationMs, signal);
  // A body that is refused is not taken to its end: sending it fails, or waits for ever.
  sent.catch(() => undefined);
  const accepted = await answered;
  request.destroy();
  return accepted;
}

type Sink = ReturnType<typeof openRequest>;

async function sendLines(request: Sink, lines: string[], lineCount: number): Promise<void> {
  const pieces = createPieces(lines);
  for (let left = lineCount; left > 0; left -= pieces.lineCount)
    await write(request, pieces.next(left));
  request.end();
}

async function sendFor(
  request: Sink,
  lines: string[],
  durationMs: number,
  signal: AbortSignal,
): Promise<void> {
  const pieces = createPieces(lines);
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs && !signal.aborted) await write(request, pieces.next());
  request.end();
}

/** The lines again and again, many at once: made ready, so that sending costs next to nothing. */
function createPieces(lines: string[]) {
  const turn = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const turns = Math.ceil(pieceBytesMin / turn.length);
  const bytes = Buffer.concat(Array.from({ length: turns }, () => turn));
  const ends = positionsOf(bytes, '\n').map((at) => at + 1);
  const numbers = positionsOf(bytes, lineNumber).map((at) => ({
    at,
    line: ends.findIndex((end) => end > at),
  }));
  let sent = 0;

  return {
    lineCount: ends.length,
    next(most = ends.length): Buffer {
      const piece = numbers.length === 0 ? bytes : Buffer.from(bytes);
      for (const { at, line } of numbers)
        piece.write(String(sent + line).padStart(lineNumber.length, '0'), at, 'latin1');
      sent += ends.length;
      return most >= ends.length ? piece : piece.subarray(0, ends[most - 1]);
    },
  };
}

function positionsOf(bytes: Buffer, text: string): number[] {
  const positions: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length))
    positions.push(at);
  return positions;
}

async function write(request: Sink, bytes: Buffer): Promise<void> {
  if (!request.write(bytes)) await once(request, 'drain');
}

async function readAnswers(
  response: IncomingMessage,
  errors: Record<string, number>,
): Promise<number> {
  if (!isSuccess(response.statusCode!)) {
    response.resume();
    countError(errors, response.statusCode!);
    return 0;
  }
  let accepted = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      const status = statusOf(bytes.subarray(from, at));
      if (isSuccess(status)) accepted++;
      else countError(errors, status);
      from = at + 1;
    }
    rest = bytes.subarray(from);
  }
  return accepted;
}

const newline = 0x0a;
const statusName = Buffer.from('"status":');

/** The status in an answer line; 0 where it has none. */
function statusOf(line: Buffer): number {
  const at = line.indexOf(statusName);
  return at < 0
    ? 0
    : Number(line.toString('latin1', at + statusName.length, at + statusName.length + 3));
}
