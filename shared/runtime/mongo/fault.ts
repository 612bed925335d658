/** The description that a server gave of itself in its last `hello`. */
export interface Hello {
  setName?: string;
  hosts?: string[];
  isWritablePrimary?: boolean;
  /** Started with --replSet, and no rs.initiate() yet. */
  isreplicaset?: boolean;
  /** `isdbgrid` of a router of shards. */
  msg?: string;
  maxWireVersion?: number;
}

/** An attempt to connect, without its secrets. */
export interface Attempt {
  /** As the URI names them. */
  addresses: string[];
  /** The replica set that the URI names. */
  setName: string | undefined;
  user: string | undefined;
  usesTls: boolean;
  hellos: Map<string, Hello>;
}

/** MongoDB 6.0. */
const wireVersionMin = 17;

/**
 * Returns the server's fault and its remedy, for an operator, without a full stop; undefined if the
 * server can be used.
 * @param use asks the server for its `hello`, and reads from it as a service does.
 */
export async function faultOf(
  attempt: Attempt,
  use: () => Promise<Hello>,
): Promise<string | undefined> {
  try {
    return unfitness(await use(), attempt);
  } catch (error) {
    return describeFault(error as Fault, attempt);
  }
}

const tooOld = 'is older than 6.0, the oldest that Assay works with: use a newer one';
const uninitiated = 'is a replica set that was never initiated: run rs.initiate() once';

function unfitness(hello: Hello, attempt: Attempt): string | undefined {
  const server = serverOf(attempt);
  if ((hello.maxWireVersion ?? 0) < wireVersionMin) return `${server} ${tooOld}`;
  if (hello.msg === 'isdbgrid') return undefined;
  if (hello.isreplicaset) return `${server} ${uninitiated}`;
  if (!hello.setName)
    return `${server} is not a replica set, and Assay needs transactions: start mongod with --replSet and run rs.initiate() once`;
  return hello.isWritablePrimary
    ? undefined
    : `${server} is not the primary of its replica set: name all members, without directConnection`;
}

function describeFault(error: Fault, attempt: Attempt): string {
  const [server, { user }] = [serverOf(attempt), attempt];
  switch (error.codeName) {
    case 'AuthenticationFailed':
      return `${server} refuses the user "${user}" or the password: correct them, or name the user's database by authSource=`;
    case 'Unauthorized':
      return user === undefined
        ? `${server} asks for a user and a password: write mongodb://user:password@host`
        : `${server} does not let the user "${user}" read Assay's databases: grant the role readWriteAnyDatabase, or readWrite on each`;
    case 'NotPrimaryOrSecondary':
      return `${server} ${uninitiated}`;
  }
  if (error.name === 'MongoCompatibilityError') return `${server} ${tooOld}`;
  return error.name === 'MongoServerSelectionError'
    ? describeSelection(error, attempt)
    : describeNetwork(error, attempt);
}

/** The fields of the driver's errors that are read here. */
interface Fault extends Error {
  code?: string | number;
  codeName?: string;
  cause?: Fault;
  /** Of a selection of servers that found none. */
  reason?: { servers: Map<string, { address: string; error: Fault | null }> };
}

function describeSelection(error: Fault, attempt: Attempt): string {
  const [hello] = attempt.hellos.values();
  const failed = [...(error.reason?.servers.values() ?? [])].find((each) => each.error !== null);
  if (!hello) return describeNetwork(failed?.error ?? error, attempt);
  const unfit = unfitness({ ...hello, isWritablePrimary: true }, attempt);
  if (unfit) return unfit;
  if (attempt.setName !== undefined && hello.setName !== attempt.setName)
    return `${serverOf(attempt)} belongs to the replica set "${hello.setName}", not to "${attempt.setName}": correct replicaSet=`;
  const set = `the replica set "${hello.setName}" has no primary that can be reached from here`;
  if (!failed) return `${set}: start a majority of its members`;
  const { code, message } = rootOf(failed.error!);
  return `${set}, and its member ${failed.address} does not answer (${code ?? message}): start it, or give it an address that can be reached`;
}

function describeNetwork(error: Fault, attempt: Attempt): string {
  const { code = '', message } = rootOf(error);
  const [server, address] = [serverOf(attempt), attempt.addresses.join(', ')];
  if (code === 'ECONNREFUSED')
    return `no MongoDB listens at ${address}: start mongod, or correct the address`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `the host of ${address} is not known (${code}): correct the address`;
  if (/CERT|SIGNATURE|ISSUER/.test(String(code)))
    return `the certificate of ${server} is not trusted (${message}): add tlsCAFile=, the certificate of its authority`;
  if (attempt.usesTls)
    return `${server} cannot be spoken to over TLS (${message}): take tls=true out, or give the server a certificate`;
  if (/\bclosed$/.test(message))
    return `${server} ends the connection at once: add tls=true if it wants TLS`;
  return `${server} does not answer (${message}): correct the address, or see why it is silent`;
}

const serverOf = ({ addresses }: Attempt): string => `the MongoDB at ${addresses.join(', ')}`;

const rootOf = (error: Fault): Fault =>
  error.cause instanceof Error ? rootOf(error.cause) : error;
