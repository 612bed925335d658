import type { Identity } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import { mayPublish } from '@assay/contracts/permissions';
import { headers as createHeaders, type MsgHdrs } from 'nats';
import { type Act, digestOf, type HeaderOf, openMessage, sealIdentity } from '../signature.ts';
import { type BusOptions, keysOf } from './options.ts';

const messageIdHeader = 'Nats-Msg-Id';

/** The headers of a message, of these names and values. */
export function headersOf(values: Record<string, string>): MsgHdrs {
  const headers = createHeaders();
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
  return headers;
}

/** Looks up a header of a message; undefined where it is not there. */
export const headerOf =
  (headers: MsgHdrs | undefined): HeaderOf =>
  (name) =>
    headers?.get(name) || undefined;

/**
 * The act of a message that a stream keeps. Its id stands in the signature, so that nobody makes a
 * second message of it.
 */
const storedAct = (subject: string, id: string): Act => ({
  purpose: 'stored',
  subject: `${subject}\n${id}`,
});

/** A message that a stream is to keep. The stream drops a repeat of an id that it had lately. */
export interface StoredMessage {
  subject: string;
  id: string;
  identity: Identity;
  payload: string;
}

/** The headers under which it is published. */
export function storedHeaders(
  options: BusOptions,
  { subject, id, identity, payload }: StoredMessage,
): MsgHdrs {
  const act = storedAct(subject, id);
  const sealed = { act, digest: digestOf(payload), receiver: undefined };
  return headersOf({
    [messageIdHeader]: id,
    ...sealIdentity(keysOf(options), identity, sealed),
  });
}

/**
 * For whom a stored message was signed, however long ago.
 * @throws UNAUTHORIZED for one whose subject, id or payload no service signed, or that its process may
 * not publish.
 */
export function openStored(
  options: BusOptions,
  { subject, data, headers }: { subject: string; data: Uint8Array; headers?: MsgHdrs },
): Identity {
  const act = storedAct(subject, headers?.get(messageIdHeader) ?? '');
  const { identity, sender } = openMessage(keysOf(options), headerOf(headers), act, data);
  const [kind = '', service = '', name = ''] = subject.slice(options.prefix.length + 1).split('.');
  if (sender !== undefined && !mayPublish(sender, { kind, service, name }))
    throw new Failure('UNAUTHORIZED', `${sender} may not publish ${kind} ${service}.${name}.`);
  return identity;
}
