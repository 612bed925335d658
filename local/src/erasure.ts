import { setTimeout as wait } from 'node:timers/promises';
import { table } from '@assay/client/table';
import type { Asks } from '@assay/contracts/define';
import type { identity } from '@assay/contracts/identity';
import { operatorIdentity as operator } from '@assay/runtime/signature';

/** The remainder in a collection, a folder or the messages of a service. */
interface CountedPlace {
  service: string;
  place: string;
  count: number;
}

/** Between two questions where something is left. */
const againMs = 200;
/** The place that an organization leaves last. */
const last = 'organizations';

/** Has an organization erased until nothing of it is left, and returns the places with their counts. */
export async function eraseOrganization({
  ask,
  organizationId,
  tell,
}: {
  ask: Asks<typeof identity>;
  organizationId: string;
  tell: (sentence: string) => void;
}): Promise<CountedPlace[]> {
  let isToldToWait = false;
  for (;;) {
    const { places, settlesAt, isDone } = await ask.deleteOrganization(operator, {
      organizationId,
    });
    if (isDone) return places;
    const settlesInMs = new Date(settlesAt).getTime() - Date.now();
    // More than one question takes: the next one goes on.
    if (settlesInMs <= 0 || places.some(({ place, count }) => place !== last && count > 0)) {
      await wait(againMs);
      continue;
    }
    if (!isToldToWait)
      tell(
        `Nothing is left of it now, but what was under way when it was suspended may be stored until ${settlesAt}: it is erased and counted once more after that. This may be interrupted and run again.`,
      );
    isToldToWait = true;
    await wait(settlesInMs);
  }
}

/** A line for each place, in the order of the services. */
export const placeTable = (places: CountedPlace[]): string[] =>
  table({
    columns: [
      { title: 'SERVICE', align: 'left' },
      { title: 'PLACE', align: 'left' },
      { title: 'LEFT', align: 'right' },
    ],
    rows: places.map(({ service, place, count }) => [service, place, String(count)]),
  });

interface ForgottenPlace {
  place: string;
  erased: number;
  left: number;
}

/** Erases until nothing is left, and returns how much went of each place. */
export async function eraseInSteps(
  eraseSome: () => Promise<{ places: ForgottenPlace[]; isDone: boolean }>,
): Promise<ForgottenPlace[]> {
  const sums = new Map<string, ForgottenPlace>();
  for (;;) {
    const { places, isDone } = await eraseSome();
    for (const { place, erased, left } of places) {
      const sum = sums.get(place) ?? { place, erased: 0, left: 0 };
      sums.set(place, { place, erased: sum.erased + erased, left });
    }
    if (isDone) return [...sums.values()];
  }
}

/** A line for each place that may have something of a person or a session. */
export const forgottenTable = (places: ForgottenPlace[]): string[] =>
  table({
    columns: [
      { title: 'PLACE', align: 'left' },
      { title: 'ERASED', align: 'right' },
      { title: 'LEFT', align: 'right' },
    ],
    rows: places.map(({ place, erased, left }) => [place, String(erased), String(left)]),
  });
