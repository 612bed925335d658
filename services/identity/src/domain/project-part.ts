import type { Identity } from '@assay/contracts/define';
import { type LineToWrite, lineSchemas } from '@assay/contracts/project-file';
import { createLineWriter, linesReply } from '@assay/runtime/http/lines';
import type { Store } from '../store.ts';

const { member } = lineSchemas;
const write = createLineWriter({ member });
const pageItems = 100;

/** The members of an organization, for projects that name them. */
export function createMembersPart({ store }: { store: Store }) {
  async function* membersOf({ organizationId }: Identity): AsyncGenerator<LineToWrite<'member'>> {
    let after: string | undefined;
    do {
      const { items, next } = await store.listMembers(organizationId, { limit: pageItems, after });
      for (const { userId, email, name } of items) yield { kind: 'member', userId, email, name };
      after = next ?? undefined;
    } while (after !== undefined);
  }

  return {
    async exportPart(identity: Identity) {
      return linesReply(write(membersOf(identity)));
    },
  };
}
