import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { InFlight } from './admission.ts';
import { ClientGone } from './body.ts';
import type { Exchange } from './exchange.ts';
import {
  type Attempt,
  type Fault,
  isEventStream,
  isNotServed,
  isUnsigned,
  notServed,
  type Outgoing,
  ownHeaders,
  unsigned,
} from './forward.ts';
import { headersBeside } from './replies.ts';

/**
 * Sends a request whose body is held whole, or that has none, by undici's own dispatch: half the
 * work of a proxy that makes streams of request and reply. A reply that ends early ends the
 * client's connection too, so that no client takes a part for the whole.
 */
export function dispatchTo(outgoing: Outgoing, exchange: Exchange): Attempt {
  const { method, path, headers, body } = outgoing;
  const options = {
    method: method as Dispatcher.HttpMethod,
    path,
    body: body.kind === 'held' ? body.bytes : null,
  };
  return ({ replica }, inFlight) =>
    new Promise((settle) => {
      replica.pool.dispatch({ ...options, headers: headers() }, relay(exchange, inFlight, settle));
    });
}

/** Passes a reply on as it comes in, no faster than the client takes it. */
function relay(
  exchange: Exchange,
  inFlight: InFlight,
  settle: (fault?: Fault) => void,
): Dispatcher.DispatchHandler {
  const { response } = exchange;
  let wasSent = false;
  return {
    onRequestStart: (controller) => {
      wasSent = true;
      exchange.abort = () => controller.abort(new ClientGone('the client went away'));
      if (response.destroyed) exchange.abort();
    },
    onResponseStart: (_controller, status, headers) => {
      if (status < 200) return;
      inFlight.replyBegan();
      if (isNotServed(headers)) {
        wasSent = false;
        throw notServed();
      }
      if (isUnsigned(status, exchange.call!)) throw unsigned();
      exchange.isEndless = isEventStream(headers['content-type']);
      exchange.takeSession?.(headers);
      response.writeHead(status, passedHeaders(headers, exchange.headers));
    },
    onResponseData: (controller, chunk) => {
      if (response.writableEnded || response.write(chunk)) return;
      controller.pause();
      response.once('drain', () => controller.resume());
    },
    onResponseEnd: () => {
      inFlight.ended();
      response.end();
      exchange.abort = undefined;
      settle();
    },
    onResponseError: (_controller, error) => {
      inFlight.ended();
      exchange.abort = undefined;
      if (!response.headersSent) return settle({ error, wasSent });
      // Answered by us already, where the request's key was revoked.
      if (!response.writableEnded) response.destroy();
      settle();
    },
  };
}

function passedHeaders(headers: IncomingHttpHeaders, own: string[]): string[] {
  const passed = headersBeside(own, (name) => name in headers);
  for (const name in headers) {
    if (ownHeaders.has(name)) continue;
    const value = headers[name]!;
    if (typeof value === 'string') passed.push(name, value);
    else for (const one of value) passed.push(name, one);
  }
  return passed;
}
