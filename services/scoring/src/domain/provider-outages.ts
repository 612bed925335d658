import type { Dependencies } from './dependencies.ts';

/** A probe that is overdue for so long will not come: no call waits for it. */
const overdueMs = 2 * 60_000;

/** The models that judgements wait for, because their provider is away (contract 5, Accounts). */
export function createProviderOutages({
  store,
  judges,
  now,
}: Pick<Dependencies, 'store' | 'judges' | 'now'>) {
  const list = async () =>
    (await store.outages.list(new Date(now().getTime() - overdueMs))).map(
      ({ model, code, message, since, nextProbeAt }) => ({
        model,
        code,
        message,
        since: since.toISOString(),
        nextProbeAt: nextProbeAt.toISOString(),
      }),
    );

  return {
    list,

    /** Those among some models, under the names by which they were asked about. */
    async among(models: string[]) {
      const outages = new Map((await list()).map((outage) => [outage.model, outage]));
      return models.flatMap((model) => {
        const outage = outages.get(judges.nameOf(model) ?? model);
        return outage ? [{ ...outage, model }] : [];
      });
    },
  };
}
