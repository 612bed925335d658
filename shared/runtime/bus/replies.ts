import { digestOf } from '../signature.ts';

/** The code of the failure that a reply is. */
export const failureHeader = 'x-assay-failure';
/** The signature of a reply. */
export const replyHeader = 'x-assay-reply';

/**
 * Returns the text that a reply's signature binds: the seal of its question, whether it is a
 * failure, and the digest of its payload.
 */
export const replyText = (
  sealed: string,
  isFailure: boolean,
  payload: string | Uint8Array,
): string => `${sealed}\n${isFailure ? 'failure' : 'reply'}\n${digestOf(payload)}`;
