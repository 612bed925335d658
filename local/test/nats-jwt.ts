import { randomUUID } from 'node:crypto';
import { nkeys } from 'nats';

type KeyPair = ReturnType<typeof nkeys.createUser>;

const encode = (value: object | Uint8Array): string =>
  Buffer.from(value instanceof Uint8Array ? value : JSON.stringify(value)).toString('base64url');

/** A claim as `nsc` writes it, signed by the key of whoever makes it. */
function claim(issuer: KeyPair, subject: KeyPair, nats: object): string {
  const head = { typ: 'JWT', alg: 'ed25519-nkey' };
  const issued = {
    jti: randomUUID(),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    name: 'test',
    sub: subject.getPublicKey(),
  };
  const text = `${encode(head)}.${encode({ ...issued, nats: { ...nats, version: 2 } })}`;
  return `${text}.${encode(issuer.sign(Buffer.from(text)))}`;
}

const unlimited = (...names: string[]) => Object.fromEntries(names.map((name) => [name, -1]));
const traffic = {
  ...unlimited('subs', 'data', 'payload', 'imports', 'exports', 'conn', 'leaf'),
  wildcards: true,
};
const storage = unlimited('mem_storage', 'disk_storage', 'streams', 'consumer');

/**
 * An operator with an account for the system and one for Assay's user: what goes into the server's
 * configuration, and the user's credentials file.
 */
export function makeOperator(): { configuration: string; credentials: string } {
  const [operator, system, account, user] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createAccount(),
    nkeys.createUser(),
  ];
  const operatorJwt = claim(operator, operator, { type: 'operator' });
  const accounts = [
    `${system.getPublicKey()}: ${claim(operator, system, { type: 'account', limits: traffic })}`,
    `${account.getPublicKey()}: ${claim(operator, account, { type: 'account', limits: { ...traffic, ...storage } })}`,
  ];
  const userJwt = claim(account, user, {
    type: 'user',
    subs: -1,
    data: -1,
    payload: -1,
    pub: {},
    sub: {},
  });
  const seed = Buffer.from(user.getSeed()).toString();
  return {
    configuration: [
      ...[`operator: ${operatorJwt}`, `system_account: ${system.getPublicKey()}`],
      ...['resolver: MEMORY', `resolver_preload: { ${accounts.join(', ')} }`],
    ].join('\n'),
    credentials: [
      ...['-----BEGIN NATS USER JWT-----', userJwt, '------END NATS USER JWT------', ''],
      ...['-----BEGIN USER NKEY SEED-----', seed, '------END USER NKEY SEED------', ''],
    ].join('\n'),
  };
}
