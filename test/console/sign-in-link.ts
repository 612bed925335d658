import { identity } from '@assay/contracts/identity';
import { createLoginLink } from '@assay/local/organization';
import { connectBus } from '@assay/runtime/bus/bus';
import { createLog } from '@assay/runtime/log';
import type { Installation } from '../system/installation.ts';

/**
 * Returns the path by which a member signs in, once: by the user id, or by an e-mail address that
 * only one organization has.
 */
export async function signInLink(
  { config, url }: Pick<Installation, 'config' | 'url'>,
  member: string,
): Promise<string> {
  const bus = await connectBus({
    urls: config.NATS_URL,
    name: 'operator',
    prefix: config.SUBJECT_PREFIX,
    operatorSecret: config.ASSAY_OPERATOR_SECRET,
    log: createLog({ name: 'test', level: config.LOG_LEVEL }),
  });
  const { link } = await createLoginLink(bus.asks(identity).identity, {
    member,
    apiUrl: `${url}/v2`,
  });
  await bus.drain();
  return link.slice(url.length);
}
