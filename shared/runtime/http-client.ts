import type { Identity, Operation, Service } from '@assay/contracts/define';
import { Failure, unavailable } from '@assay/contracts/failure';
import { payloadPlan } from '@assay/contracts/payload';
import { Pool } from 'undici';
import type { z } from 'zod';
import { parseBodyAside } from './body.ts';
import { compileSerializer } from './serialize.ts';
import { identityHeader, sealIdentity } from './signature.ts';

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
 * A client of those operations of a contract that only services may call (their paths have no parameters).
 * Each throws the other's Failure, or SERVICE_UNAVAILABLE where it does not answer.
 */
export function createServiceClient<Definition extends Service>({
  contract,
  url,
  secret,
}: {
  contract: Definition;
  url: string;
  secret: string;
}): ServiceClient<Definition> {
  const pool = new Pool(url, { connections: 16, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const calls = Object.entries(contract.operations)
    .filter(([, definition]) => definition.access === 'service')
    .map(([name, definition]) => [name, createCall(pool, definition, secret)] as const);
  return { ...Object.fromEntries(calls), close: () => pool.close() } as unknown as ServiceClient<Definition>;
}

function createCall(pool: Pool, definition: Operation, secret: string) {
  const plan = payloadPlan(definition.reply);
  const serialize = definition.body && compileSerializer(definition.body);
  return async (identity: Identity, body: unknown) => {
    const response = await pool
      .request({
        method: definition.method,
        path: definition.path,
        headers: { 'content-type': 'application/json', [identityHeader]: sealIdentity(secret, identity) },
        body: serialize ? Buffer.concat(serialize(body).map((part) => Buffer.from(part as Uint8Array))) : null,
      })
      .then(async ({ statusCode, body: answer }) => ({ statusCode, bytes: Buffer.from(await answer.arrayBuffer()) }))
      .catch((error: unknown) => {
        throw unavailable('A part of the service does not answer at the moment.', error);
      });
    if (response.statusCode >= 400) throw Failure.fromWire(JSON.parse(response.bytes.toString()));
    return parseBodyAside(response.bytes, plan);
  };
}
