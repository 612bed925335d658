import { checkIsSaid, checkMayChange, checkMayDelete } from '@assay/contracts/annotation-rules';
import type { Asks, Identity, Request } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import type { identity as identityContract } from '@assay/contracts/identity';
import { createMentions } from '@assay/contracts/mentioned-members';
import type { Mention } from '@assay/contracts/run-records';
import {
  type TestcaseAnnotation,
  testcaseAnnotationsMax,
  type testcases,
} from '@assay/contracts/testcases';
import type { StoredAnnotation } from '../store/annotations.ts';
import type { Store, StoredTestcase } from '../store.ts';
import type { Definition } from './definitions.ts';

type Opinion = Request<(typeof testcases)['operations']['createTestcaseAnnotation']>['body'];

export interface AnnotationPlace {
  testcaseId: string;
  testcaseAnnotationId: string;
}

/** The annotations of testcases. */
export function createAnnotations({
  store,
  ask,
  definitions,
  testcaseOf,
  newId,
  now,
}: {
  store: Store;
  ask: { identity: Asks<typeof identityContract> };
  definitions: {
    find: (identity: Identity, testsetId: string) => Promise<Definition | undefined>;
  };
  /** @throws NOT_FOUND */
  testcaseOf: (
    identity: Identity,
    id: string,
  ) => Promise<{ testcase: StoredTestcase; definition: Definition }>;
  newId: () => string;
  now: () => Date;
}) {
  const { annotations } = store;
  const findMentions = createMentions(ask.identity.isMember);

  async function annotationOf(
    identity: Identity,
    { testcaseId, testcaseAnnotationId: annotationId }: AnnotationPlace,
  ): Promise<StoredAnnotation> {
    await testcaseOf(identity, testcaseId);
    const found = await annotations.find(identity.organizationId, testcaseId, annotationId);
    if (!found) throw notFound('annotation', annotationId);
    return found;
  }

  return {
    async list(identity: Identity, testcaseId: string) {
      const { organizationId } = identity;
      await testcaseOf(identity, testcaseId);
      const found = await annotations.list(organizationId, testcaseId, testcaseAnnotationsMax);
      return { data: found.map(toReply) };
    },
    async create(
      identity: Identity,
      testcaseId: string,
      { rating = null, comment = null }: Opinion,
    ): Promise<TestcaseAnnotation> {
      const { organizationId, userId } = identity;
      const { definition } = await testcaseOf(identity, testcaseId);
      checkIsSaid({ rating, comment });
      const annotation: StoredAnnotation = {
        id: newId(),
        testcaseId,
        testsetId: definition.id,
        projectId: definition.projectId,
        rating,
        comment,
        mentions: await findMentions(identity, comment),
        editedAt: null,
        userId,
        createdAt: now(),
      };
      await store.transaction(async () => {
        if (!(await annotations.enter(organizationId, testcaseId)))
          throw notFound('testcase', testcaseId);
        if ((await annotations.count(organizationId, testcaseId)) >= testcaseAnnotationsMax)
          throw invalidAt(
            '',
            `would be more than the ${testcaseAnnotationsMax} annotations that a testcase has`,
          );
        await annotations.create(organizationId, annotation);
      });
      return toReply(annotation);
    },
    /** @throws FORBIDDEN for everybody but its author. */
    async update(
      identity: Identity,
      place: AnnotationPlace,
      { rating, comment }: Opinion,
    ): Promise<TestcaseAnnotation> {
      const before = await annotationOf(identity, place);
      checkMayChange(identity, before);
      const changed = {
        ...before,
        ...(rating === undefined ? {} : { rating }),
        ...(comment === undefined ? {} : { comment }),
        editedAt: now(),
      };
      checkIsSaid(changed);
      const mentions = await findMentions(identity, changed.comment, before.mentions);
      if (!(await annotations.replace(identity.organizationId, { ...changed, mentions })))
        throw notFound('annotation', place.testcaseAnnotationId);
      return toReply({ ...changed, mentions });
    },
    /** @throws FORBIDDEN for a member who did not make it and is no admin. */
    async delete(identity: Identity, place: AnnotationPlace) {
      const { organizationId } = identity;
      const found = await annotationOf(identity, place);
      checkMayDelete(identity, found);
      if (!(await annotations.delete(organizationId, found.id)))
        throw notFound('annotation', place.testcaseAnnotationId);
      return { success: true as const };
    },
    /** Testcases of a deleted testset are removed in the background. */
    async mentions(
      identity: Identity,
      wanted: { projectId: string; userId: string; after: string | null; limit: number },
    ): Promise<{ mentions: Mention[] }> {
      const mentions: Mention[] = [];
      let { after } = wanted;
      // As many as are wanted, if they are there: fewer would say that none follow.
      for (;;) {
        const limit = wanted.limit - mentions.length;
        const found = await annotations.listMentioning(identity.organizationId, {
          ...wanted,
          after,
          limit,
        });
        const there = await Promise.all(
          found.map(({ testsetId }) => definitions.find(identity, testsetId)),
        );
        mentions.push(...found.filter((_, index) => there[index]).map(toMention));
        if (found.length < limit || mentions.length === wanted.limit) return { mentions };
        after = found.at(-1)!.id;
      }
    },
  };
}

const toReply = ({
  testsetId: _testsetId,
  projectId: _projectId,
  editedAt,
  createdAt,
  ...annotation
}: StoredAnnotation): TestcaseAnnotation => ({
  ...annotation,
  editedAt: editedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});

const toMention = ({
  id,
  testcaseId,
  testsetId,
  comment,
  userId,
  createdAt,
}: StoredAnnotation): Mention => ({
  id,
  about: 'testcase',
  testcaseId,
  testsetId,
  comment: comment ?? '',
  userId,
  createdAt: createdAt.toISOString(),
});
