import type { Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Mention } from '@assay/contracts/run-records';
import type { StoredAnnotation } from '../../store/annotations.ts';
import type { Dependencies } from '../dependencies.ts';

/** The comments that mention a person, of all things that have comments. */
export function createMentionList({ store, ask }: Pick<Dependencies, 'store' | 'ask'>) {
  /** A deleted run is hidden before its records go. */
  async function isThere(organizationId: string, recordId: string): Promise<boolean> {
    const record = await store.records.findEnvelope(organizationId, recordId);
    return record !== undefined && !!(await store.runs.find(organizationId, record.runId));
  }

  async function mentionsOfRecords(
    organizationId: string,
    wanted: { projectId: string; userId: string; after: string | null; limit: number },
  ): Promise<{ mention: Mention; isShown: boolean }[]> {
    const found = await store.annotations.listMentioning(organizationId, wanted);
    return Promise.all(
      found.map(async (annotation) => ({
        mention: toMention(annotation),
        isShown: await isThere(organizationId, annotation.recordId),
      })),
    );
  }

  return {
    /** A page may have fewer items than its limit. */
    async list(
      identity: Identity,
      projectId: string,
      { limit, after }: PageRequest,
    ): Promise<Page<Mention>> {
      const { organizationId, userId } = identity;
      if (!(await ask.catalog.project(identity, { projectId })).found)
        throw notFound('project', projectId);
      // One more tells whether others follow.
      const wanted = { projectId, userId, after: after ?? null, limit: limit + 1 };
      const [ofRecords, ...ofOthers] = await Promise.all([
        mentionsOfRecords(organizationId, wanted),
        ask.testcases.mentions(identity, wanted),
        ask.traces.mentions(identity, wanted),
      ]);
      const all = [
        ...ofRecords,
        ...ofOthers.flatMap(({ mentions }) =>
          mentions.map((mention) => ({ mention, isShown: true })),
        ),
      ].sort((one, other) => (one.mention.id < other.mention.id ? 1 : -1));
      const page = all.slice(0, limit);
      return {
        items: page.filter(({ isShown }) => isShown).map(({ mention }) => mention),
        next: all.length > limit ? page.at(-1)!.mention.id : null,
      };
    },
  };
}

const toMention = ({
  id,
  recordId,
  comparedRecordId,
  comment,
  userId,
  createdAt,
}: StoredAnnotation): Mention => ({
  id,
  about: comparedRecordId ? 'pair' : 'record',
  recordId,
  ...(comparedRecordId ? { comparedRecordId } : {}),
  comment: comment ?? '',
  userId,
  createdAt: createdAt.toISOString(),
});
