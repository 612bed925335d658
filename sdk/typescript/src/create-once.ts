import { createHash } from 'node:crypto';
import { orUndefined } from '@assay/client/client';
import type { NamedItem } from '@assay/client/named';
import { writeJson } from '@assay/json/write';

/**
 * Creates something whose name nothing has, once for all who do so at the same moment: two jobs of one
 * commit get the same project. Names are not unique, so their requests share an Idempotency-Key,
 * which the server remembers for a day. What was deleted or renamed since is created anew.
 */
export async function createOnce<Made extends NamedItem>({
  kind,
  body,
  create,
  find,
}: {
  /** What it is, and in what: with the body, the same for all who mean the same thing. */
  kind: string;
  body: unknown;
  create: (idempotencyKey?: string) => Promise<Made>;
  find: (id: string) => Promise<NamedItem>;
}): Promise<Made> {
  const meant = createHash('sha256')
    .update(`${kind}\n${writeJson(body)}`)
    .digest('base64url');
  const made = await create(`once-${meant}`);
  const present = await orUndefined(find(made.id));
  return present?.name === made.name ? made : create();
}
