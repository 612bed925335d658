import type { Identity } from './define.ts';
import { invalidAt } from './failure.ts';
import { mentionsIn, mentionsMax } from './mentions.ts';

/** Finds whom comments mention. */
export const createMentions =
  (isMember: (identity: Identity, payload: { userId: string }) => Promise<{ found: boolean }>) =>
  /**
   * Returns the members whom a comment mentions. Those of `before` are not looked up again: somebody
   * who has left stays mentioned.
   */
  async (
    identity: Identity,
    comment: string | null | undefined,
    before: readonly string[] = [],
  ): Promise<string[]> => {
    const mentions = mentionsIn(comment);
    if (mentions.length > mentionsMax)
      throw invalidAt('/comment', `must mention at most ${mentionsMax} people`);
    const added = mentions.filter((userId) => !before.includes(userId));
    const found = await Promise.all(added.map((userId) => isMember(identity, { userId })));
    const stranger = added.find((_, index) => !found[index]!.found);
    if (stranger !== undefined)
      throw invalidAt('/comment', `mentions ${stranger}, who does not belong to this organization`);
    return mentions;
  };
