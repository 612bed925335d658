import type { LossEntity } from './entity.ts';
import type { Lose } from './reading/json-text.ts';
import { lossesMax } from './reading/limits.ts';

export interface Losses {
  lose: Lose;
  list(): LossEntity[];
}

/** Collects losses: those of the same reason are one, with the first place and the count. */
export function createLosses(): Losses {
  const losses = new Map<string, LossEntity>();
  const others: LossEntity = {
    kind: 'loss',
    place: {},
    reason: `There are more than ${lossesMax} different losses; the others are only counted.`,
    count: 0,
  };
  return {
    lose(place, reason) {
      const known = losses.get(reason);
      if (known) known.count += 1;
      else if (losses.size >= lossesMax) others.count += 1;
      else losses.set(reason, { kind: 'loss', place, reason, count: 1 });
    },
    list: () => [...losses.values(), ...(others.count > 0 ? [others] : [])],
  };
}
