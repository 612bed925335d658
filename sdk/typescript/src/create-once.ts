import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { orUndefined, RequestFailure } from '@assay/client/client';
import type { NamedItem } from '@assay/client/named';

/** How often, and after how long, something is looked for that another one is making. */
const looks = 10;
const lookEveryMs = 100;

interface Creation<Made extends NamedItem> {
  /** Where it is made: `/projects/<id>/testsets`. */
  path: string;
  name: string;
  create: (idempotencyKey?: string) => Promise<Made>;
  find: (id: string) => Promise<NamedItem>;
  list: () => AsyncIterable<Made>;
}

/**
 * Creates something whose name nothing has, once for all who do so at the same moment: two jobs of one
 * commit get the same project. Names are not unique, so their requests share an Idempotency-Key,
 * which the server remembers for a day, and which Python makes alike. What was deleted or renamed
 * since is created anew. Where another one makes it with other contents, that one is returned.
 */
export async function createOnce<Made extends NamedItem>(creation: Creation<Made>): Promise<Made> {
  const { path, name, create, find } = creation;
  const meant = createHash('sha256').update(`${path}\n${name}`).digest('hex');
  try {
    const made = await create(`once-${meant}`);
    const present = await orUndefined(find(made.id));
    return present?.name === made.name ? made : await create();
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.code !== 'CONFLICT') throw error;
    return (await findMade(creation)) ?? create();
  }
}

async function findMade<Made extends NamedItem>({ name, list }: Creation<Made>) {
  for (let looked = 0; looked < looks; looked++) {
    if (looked > 0) await pause(lookEveryMs);
    for await (const item of list()) if (item.name === name) return item;
  }
  return undefined;
}
