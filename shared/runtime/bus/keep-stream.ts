import { DiscardPolicy, type JetStreamManager, NatsError, StorageType } from 'nats';
import { ConfigurationError } from '../config.ts';

/** A stream as it is wanted. */
export interface WantedStream extends Record<string, unknown> {
  name: string;
  subjects: string[];
  max_bytes: number;
  /** Which messages a full stream gives up: new ones, which it refuses, unless `Old` is stated. */
  discard?: DiscardPolicy;
  num_replicas: number;
}

/**
 * Makes a stream that is not there, and gives one that is there the subjects, the bounds and as many
 * replicas as are wanted now: never fewer.
 * @throws ConfigurationError that names the variable where NATS does not take it.
 */
export async function keepStream(manager: JetStreamManager, wanted: WantedStream): Promise<void> {
  const config = { storage: StorageType.File, discard: DiscardPolicy.New, ...wanted };
  const { name, max_bytes, discard } = config;
  const found = (await manager.streams.info(name).catch(() => undefined))?.config;
  const subjects = [...new Set([...(found?.subjects ?? []), ...config.subjects])];
  const num_replicas = Math.max(found?.num_replicas ?? 1, config.num_replicas);
  const isKept =
    subjects.length === found?.subjects.length &&
    found.num_replicas === num_replicas &&
    found.max_bytes === max_bytes &&
    found.discard === discard;
  if (isKept) return;
  try {
    if (found)
      await manager.streams.update(name, { ...found, subjects, num_replicas, max_bytes, discard });
    else await manager.streams.add(config);
  } catch (error) {
    // Another service keeps the stream as it is wanted, and this one may only use it.
    if (found && isForbidden(error)) return;
    throw refusalOf(error as Error, config);
  }
}

const isForbidden = (error: unknown): boolean =>
  error instanceof NatsError && permissionCodes.has(error.code);

/** The codes of JetStream's errors that one variable mends (its errors.json). */
const storageCodes = new Set([10_002, 10_017, 10_023, 10_028, 10_047, 10_077, 10_122]);
const replicaCodes = new Set([10_005, 10_074]);
const subjectCodes = new Set([10_058, 10_065]);
const permissionCodes = new Set(['403', 'PERMISSIONS_VIOLATION']);

/** Returns the sentence for an error of NATS that an operator can mend; any other error as it is. */
function refusalOf(error: Error, { name, max_bytes, num_replicas }: WantedStream): Error {
  const { code = '', api_error } = error instanceof NatsError ? error : {};
  const number = api_error?.err_code ?? 0;
  const told = (sentence: string) => new ConfigurationError(sentence, { cause: error });
  const message = api_error?.description ?? error.message;
  if (replicaCodes.has(number))
    return told(
      `NATS_STREAM_REPLICAS is ${num_replicas}, and NATS cannot keep a stream so often (${message}): lower it, or add servers to the cluster.`,
    );
  if (storageCodes.has(number))
    return told(
      `NATS_STREAM_BYTES_MAX: NATS has no room for the ${max_bytes} bytes that the stream ${name} may take (${message}): lower it, or give the account of NATS more.`,
    );
  if (subjectCodes.has(number))
    return told(
      `SUBJECT_PREFIX: NATS has a stream of another kind for the subjects of ${name} (${message}): set another prefix.`,
    );
  if (permissionCodes.has(code))
    return told(
      `NATS_URL: the user may not make the stream ${name} (${message}): let it publish and subscribe below "$JS." and "_INBOX.".`,
    );
  if (number !== 0)
    return told(
      `NATS_URL: NATS does not make the stream ${name} (${message}): change what it refuses for this account.`,
    );
  return error;
}
