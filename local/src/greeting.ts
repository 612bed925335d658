import { connect } from 'node:net';

const silenceTimeoutMs = 2_000;

/** Whether something accepts a connection on this port of 127.0.0.1. */
export const accepts = (port: number): Promise<boolean> =>
  new Promise((answer) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      answer(true);
    });
    socket.once('error', () => answer(false));
  });

/**
 * The first line that a server on this port of 127.0.0.1 sends by itself; undefined when there is
 * none within 2 seconds.
 */
export const firstLine = (port: number): Promise<string | undefined> =>
  new Promise((answer) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    const finish = () => {
      socket.destroy();
      answer(text.includes('\r\n') ? text.slice(0, text.indexOf('\r\n')) : undefined);
    };
    socket.setTimeout(silenceTimeoutMs, finish);
    socket.once('error', finish);
    socket.once('close', finish);
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\r\n')) finish();
    });
  });
