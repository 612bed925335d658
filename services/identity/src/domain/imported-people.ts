import type { Asks, Identity, Request } from '@assay/contracts/define';
import { conflict, invalidAt, notFound } from '@assay/contracts/failure';
import type { identity as contract, Member } from '@assay/contracts/identity';
import type { metrics } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import { sweptAway } from '@assay/contracts/project-file';
import type { runRecords } from '@assay/contracts/run-records';
import type { scoring } from '@assay/contracts/scoring';
import type { testcases } from '@assay/contracts/testcases';
import type { traces } from '@assay/contracts/traces';
import { serviceIdentity } from '@assay/runtime/signature';
import type { MoveProgress, StoredImportedPerson, StoredMove } from '../store/imported-people.ts';
import type { Store } from '../store.ts';
import { toMember } from './members.ts';

/** A move goes on elsewhere this long after its process died: more than a question may take. */
const heldMs = 30_000;
/** A move that failed is tried again after this. */
const againMs = 5000;
/** Questions that are asked in one round, after which another organization has its turn. */
const stepsMax = 20;

interface Dependencies {
  store: Store;
  ask: {
    metrics: Pick<Asks<typeof metrics>, 'moveAuthor'>;
    traces: Pick<Asks<typeof traces>, 'moveAuthor'>;
    scoring: Pick<Asks<typeof scoring>, 'moveAuthor'>;
    'run-records': Pick<Asks<typeof runRecords>, 'moveAuthor'>;
    testcases: Pick<Asks<typeof testcases>, 'moveAuthor'>;
  };
  clock: () => Date;
}

/** The services that store authors' work; progress counts them, so that new ones come last. */
const authoredServices = ['metrics', 'traces', 'scoring', 'run-records', 'testcases'] as const;

type NotedBody = Request<(typeof contract)['operations']['noteImportedPeople']>['body'];

export type ImportedPeople = ReturnType<typeof createImportedPeople>;

/**
 * The authors of files that are not believed, and how an admin maps one to a member (contract
 * section 5, "Imports and files"). The other services are asked until all is the member's; progress
 * is kept, so that another process goes on where one died.
 */
export function createImportedPeople({ store, ask, clock }: Dependencies) {
  const after = (ms: number): Date => new Date(clock().getTime() + ms);

  /** Has the next service give some of the person's work to the member. */
  async function step(
    organizationId: string,
    { userId, projectId, mapping }: StoredMove,
    { servicesDone, after }: MoveProgress,
  ): Promise<MoveProgress> {
    const service = authoredServices[servicesDone]!;
    const { next } = await ask[service].moveAuthor(serviceIdentity(organizationId), {
      projectId,
      from: userId,
      to: mapping.toUserId,
      after,
    });
    return { servicesDone: servicesDone + (next === null ? 1 : 0), after: next };
  }

  return {
    async list({ organizationId }: Identity, page: PageRequest): Promise<Page<Member>> {
      const { items, next } = await store.listImportedPeople(organizationId, page);
      return { items: items.map(toImportedPerson), next };
    },

    /** @throws CONFLICT where the project was swept away meanwhile. */
    async note({ organizationId }: Identity, { projectId, people }: NotedBody) {
      const createdAt = clock();
      const noted = people.map((person) => ({ ...person, createdAt }));
      if (!(await store.noteImportedPeople(organizationId, projectId, noted))) throw sweptAway();
      return {};
    },

    forgetProject: ({ organizationId }: Identity, projectId: string): Promise<void> =>
      store.forgetImportedPeople(organizationId, projectId),

    /**
     * Maps an imported person to a member, and returns the member. The person's work follows.
     * @throws VALIDATION_ERROR at /mapTo for somebody who is no other member.
     * @throws CONFLICT for a member, and for a person who is mapped to another member.
     */
    map: (
      { organizationId, userId: byUserId }: Identity,
      userId: string,
      mapTo: string,
    ): Promise<Member> =>
      store.transaction(async () => {
        await store.lockOrganization(organizationId);
        const person = await store.findImportedPerson(organizationId, userId);
        if (!person) {
          if (!(await store.findMember(organizationId, userId))) throw notFound('user', userId);
          throw conflict('This is a member: only people whom an import made are mapped.');
        }
        const member = await store.findMember(organizationId, mapTo);
        if (!member) throw invalidAt('/mapTo', 'is no member of this organization');
        const mappedTo = person.mapping?.toUserId;
        if (mappedTo !== undefined && mappedTo !== mapTo)
          throw conflict('This person has been mapped to another member already.');
        if (mappedTo === undefined)
          await store.beginMove(organizationId, userId, { toUserId: mapTo, byUserId, at: clock() });
        return toMember(member);
      }),

    organizations: (): Promise<string[]> => store.organizationsWithMoves(clock()),

    /** Does some of a mapping that is under way, and says whether there may be more to do. */
    async moveSome(organizationId: string): Promise<boolean> {
      const found = await store.takeMove(organizationId, { now: clock(), until: after(heldMs) });
      if (!found) return false;
      const { userId } = found;
      let { progress } = found;
      const isDone = () => progress.servicesDone === authoredServices.length;
      const note = (ms: number) =>
        store.noteProgress(organizationId, userId, { progress, heldUntil: after(ms) });
      try {
        for (let steps = 0; steps < stepsMax && !isDone(); steps += 1) {
          progress = await step(organizationId, found, progress);
          await note(heldMs);
        }
      } catch (error) {
        await note(againMs);
        throw error;
      }
      if (isDone()) await store.endMove(organizationId, userId, clock());
      else await note(0);
      return true;
    },
  };
}

const toImportedPerson = ({
  userId,
  email,
  name,
  createdAt,
  projectId,
  mapping,
}: StoredImportedPerson): Member => ({
  userId,
  email: email ?? '',
  name,
  role: 'none',
  createdAt: createdAt.toISOString(),
  imported: true,
  projectId,
  mappedTo: mapping?.toUserId ?? null,
});
