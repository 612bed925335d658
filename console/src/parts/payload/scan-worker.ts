import { answerTo, type WorkerMessage } from './question.ts';

let bytes = new Uint8Array();

addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
  if ('bytes' in data) {
    bytes = data.bytes as typeof bytes;
    return;
  }
  const places = answerTo(bytes, data);
  postMessage({ id: data.id, places }, { transfer: [places.buffer] });
});
