import type { IncomingMessage } from 'node:http';
import type { Failure } from '@assay/contracts/failure';
import { writeRefusal } from '@assay/otlp/reply';
import { failureReply } from '@assay/runtime/http/failures';
import type { FailureMessage } from './exchange.ts';

/**
 * Makes the replies of failures to a client of OTLP/HTTP: a google.rpc.Status in the form of its
 * request, with the status and headers that the API gives.
 */
export function otlpReplyOf({ headers }: IncomingMessage): (failure: Failure) => FailureMessage {
  return (failure) => {
    const reply = failureReply(failure);
    const { contentType, body } = writeRefusal(headers['content-type'], failure);
    return { ...reply, headers: { ...reply.headers, 'content-type': contentType }, body };
  };
}
