import type { Question } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { NatsConnection } from 'nats';
import { keysOfSecret, type ProcessKeys } from '../keys.ts';
import type { NatsOptions } from './connection.ts';

/** How a process is connected to the bus, and with what it signs. */
export interface BusOptions extends NatsOptions {
  prefix: string;
  /**
   * Sign the messages between services. Without them, a process can ask only the operator's
   * questions.
   */
  keys?: ProcessKeys | undefined;
  /** Signs the operator's questions: identity and the operator's commands have it. */
  operatorSecret?: string | undefined;
}

/** A connection of the bus. */
export interface BusConnection {
  isConnected(): boolean;
  options: BusOptions;
  connection: NatsConnection;
}

/** The keys under which a question, or a message of a service, is signed. */
export function keysOf(
  { keys, operatorSecret }: BusOptions,
  access?: Question['access'],
): ProcessKeys {
  const own =
    access === 'operator' ? operatorSecret && keysOfSecret(operatorSecret, 'operator') : keys;
  if (!own) throw new Failure('FORBIDDEN', 'This process has no secret to sign this with.');
  return own;
}
