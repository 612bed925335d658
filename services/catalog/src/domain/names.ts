import type { Project } from '@assay/contracts/catalog';
import type { Identity } from '@assay/contracts/define';
import { wordsOf } from '@assay/contracts/name-words';
import {
  type FoundNames,
  type NamedThing,
  type NameKind,
  type Names,
  type NamesQuery,
  nameKind,
  type WantedNames,
} from '@assay/contracts/names';
import type { Store } from '../store.ts';

type AskNames = (identity: Identity, wanted: WantedNames) => Promise<FoundNames>;

/** The kinds that one service keeps, and how it is asked for them. */
interface Keeper {
  kinds: NameKind[];
  find: AskNames;
}

interface Dependencies {
  store: Store;
  ask: Record<'systems' | 'metrics' | 'run-records' | 'traces', { names: AskNames }>;
  /** @throws NOT_FOUND */
  projectOf: (identity: Identity, id: string) => Promise<Project>;
}

/** One search over the names of a project, which several services keep (ADR 86). */
export function createNames({ store, ask, projectOf }: Dependencies) {
  const keepers: Keeper[] = [
    { kinds: ['run'], find: ask['run-records'].names },
    {
      kinds: ['testset'],
      find: ({ organizationId }, wanted) => store.names.find(organizationId, wanted),
    },
    { kinds: ['metric'], find: ask.metrics.names },
    { kinds: ['system', 'systemVersion'], find: ask.systems.names },
    { kinds: ['monitor'], find: ask.traces.names },
  ];

  return {
    /** Newest first. A service that does not answer is missing in the answer, which says so. */
    async find(
      identity: Identity,
      projectId: string,
      { text = '', kind, id: ids, testsetId, metricId, newest }: NamesQuery,
    ): Promise<Names> {
      await projectOf(identity, projectId);
      const isOfRuns = testsetId !== undefined || metricId !== undefined;
      const all = isOfRuns ? (['run'] as const) : nameKind.options;
      const kinds = all.filter((one) => kind === undefined || kind.includes(one));
      const asked = keepers
        .map(({ kinds: kept, find }) => ({
          kinds: kept.filter((one) => kinds.includes(one)),
          find,
        }))
        .filter(({ kinds }) => kinds.length > 0);
      const words = wordsOf(text);
      const answers = await Promise.allSettled(
        asked.map(({ kinds, find }) =>
          find(identity, { projectId, kinds, words, ids, testsetId, metricId, limit: newest }),
        ),
      );
      const found = answers.flatMap((answer) =>
        answer.status === 'fulfilled' ? [answer.value] : [],
      );
      const names = found.flatMap(({ names }) => names).toSorted(newestFirst);
      return {
        names: names.slice(0, newest),
        isCut: names.length > newest || found.some(({ isCut }) => isCut),
        missing: asked.flatMap(({ kinds }, index) =>
          answers[index]!.status === 'rejected' ? kinds : [],
        ),
      };
    },
  };
}

/** Things of one instant are in the order of their ids, so that two searches agree. */
function newestFirst(one: NamedThing, other: NamedThing): number {
  const [left, right] = [one, other].map(({ createdAt, id }) => `${createdAt} ${id}`);
  return left! < right! ? 1 : -1;
}
