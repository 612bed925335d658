import type { ReplyOf } from '@assay/client/operations';

export type NamedThing = ReplyOf<'GET', '/projects/:projectId/names'>['names'][number];

/** As many ids as one request asks for. */
const idsMax = 100;

type Ask = (projectId: string, ids: string[]) => Promise<NamedThing[]>;

interface Waiting {
  resolve: (thing: NamedThing | null) => void;
  reject: (error: unknown) => void;
}

/** Asks for the names of ids: those of one moment by one request. */
export function createNameBatches(ask: Ask) {
  const waiting = new Map<string, Map<string, Waiting[]>>();

  async function send(projectId: string): Promise<void> {
    const asked = [...waiting.get(projectId)!];
    waiting.delete(projectId);
    for (let place = 0; place < asked.length; place += idsMax)
      await answer(projectId, asked.slice(place, place + idsMax));
  }

  async function answer(projectId: string, asked: [id: string, Waiting[]][]): Promise<void> {
    try {
      const things = await ask(
        projectId,
        asked.map(([id]) => id),
      );
      const thingOf = new Map(things.map((thing) => [thing.id as string, thing]));
      for (const [id, all] of asked) for (const one of all) one.resolve(thingOf.get(id) ?? null);
    } catch (error) {
      for (const [, all] of asked) for (const one of all) one.reject(error);
    }
  }

  /** The thing of the project that has this id; null where there is none. */
  return (projectId: string, id: string): Promise<NamedThing | null> =>
    new Promise((resolve, reject) => {
      let batch = waiting.get(projectId);
      if (!batch) {
        batch = new Map();
        waiting.set(projectId, batch);
        setTimeout(() => void send(projectId));
      }
      batch.set(id, [...(batch.get(id) ?? []), { resolve, reject }]);
    });
}
