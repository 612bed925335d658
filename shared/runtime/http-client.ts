import type { Identity, Operation, Service } from '@assay/contracts/define';
import { Failure, unavailable } from '@assay/contracts/failure';
import { payloadPlan } from '@assay/contracts/payload';
import type { z } from 'zod';
import { parseBodyAside } from './body.ts';
import { compileSerializer } from './serialize.ts';
import { digestOf, identityHeader, noBody, requestAct, sealIdentity } from './signature.ts';
import { avoid, createUpstream, type Upstream } from './upstreams.ts';

type Body<Definition extends Operation> = Definition extends { body: infer Schema extends z.ZodType } ? z.input<Schema> : undefined;
type Answer<Definition extends Operation> = Definition extends { reply: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;

/** A service's operations for other services, called over HTTP: for payloads too large for the bus. */
export type ServiceClient<Definition extends Service> = {
  [Name in keyof Definition['operations']]: (
    identity: Identity,
    body: Body<Definition['operations'][Name]>,
  ) => Promise<Answer<Definition['operations'][Name]>>;
} & { close: () => Promise<void> };

const timeoutMs = 30_000;

/**
 * Creates a client for the operations of a contract that only services may call. Their paths have no parameters, and they may be repeated:
 * a call that one replica does not answer goes to the next. Each throws the called service's Failure, or SERVICE_UNAVAILABLE if no replica
 * answers.
 * @param urls base URLs of the service's replicas, separated by commas.
 */
export function createServiceClient<Definition extends Service>({
  contract,
  urls,
  secret,
}: {
  contract: Definition;
  urls: string;
  secret: string;
}): ServiceClient<Definition> {
  const upstream = createUpstream({ service: contract.name, urls, timeoutMs });
  const calls = Object.entries(contract.operations)
    .filter(([, definition]) => definition.access === 'service')
    .map(([name, definition]) => [name, createCall(upstream, definition, secret)] as const);
  const close = async () => {
    await Promise.all(upstream.replicas.map(({ pool }) => pool.close()));
  };
  return { ...Object.fromEntries(calls), close } as unknown as ServiceClient<Definition>;
}

function createCall(upstream: Upstream, definition: Operation, secret: string) {
  const plan = payloadPlan(definition.reply);
  const serialize = definition.body && compileSerializer(definition.body);
  const act = requestAct(definition.method, definition.path);
  return async (identity: Identity, value: unknown) => {
    const body = serialize ? Buffer.concat(serialize(value).map((part) => Buffer.from(part as Uint8Array))) : null;
    const digest = body ? digestOf(body) : noBody;
    const response = await send(upstream, definition, { body, seal: () => sealIdentity(secret, identity, act, digest) });
    if (response.status >= 400) throw Failure.fromWire(JSON.parse(response.bytes.toString()));
    return parseBodyAside(response.bytes, plan);
  };
}

/** Each attempt is sealed anew: a seal lives no longer than an attempt may take. */
async function send(upstream: Upstream, { method, path }: Operation, { body: sent, seal }: { body: Buffer | null; seal: () => string }) {
  let fault: unknown;
  for (const replica of upstream.inTurn()) {
    try {
      const headers = { 'content-type': 'application/json', [identityHeader]: seal() };
      const { statusCode: status, body } = await replica.pool.request({ method, path, headers, body: sent });
      return { status, bytes: Buffer.from(await body.arrayBuffer()) };
    } catch (error) {
      avoid(replica);
      fault = error;
    }
  }
  throw unavailable('A part of the service does not answer at the moment.', fault);
}
