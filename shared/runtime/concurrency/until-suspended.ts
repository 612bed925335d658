import { organizationSuspended } from '@assay/contracts/failure';

/** How often it is looked at whether an organization with work under way is suspended. */
const everyMs = 250;

interface WorkingOrganization {
  stops: Set<AbortController>;
  timer: NodeJS.Timeout;
}

/** Work of an organization that listens to the signal, which its own one aborts as well. */
export type UntilSuspended = <Result>(
  owner: { organizationId: string; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

/** Aborts the work under way of an organization that is suspended, with the failure that says so. */
export function createUntilSuspended(
  isSuspended: (organizationId: string) => boolean | Promise<boolean>,
): UntilSuspended {
  const working = new Map<string, WorkingOrganization>();

  async function look(organizationId: string): Promise<void> {
    if (!(await isSuspended(organizationId))) return;
    for (const stop of working.get(organizationId)?.stops ?? [])
      stop.abort(organizationSuspended());
  }

  function begin(organizationId: string, stop: AbortController): void {
    const current = working.get(organizationId) ?? {
      stops: new Set(),
      timer: setInterval(() => void look(organizationId), everyMs),
    };
    working.set(organizationId, current);
    current.stops.add(stop);
  }

  function end(organizationId: string, stop: AbortController): void {
    const { stops, timer } = working.get(organizationId)!;
    stops.delete(stop);
    if (stops.size > 0) return;
    clearInterval(timer);
    working.delete(organizationId);
  }

  return async ({ organizationId, signal }, work) => {
    const stop = new AbortController();
    begin(organizationId, stop);
    try {
      return await work(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
    } finally {
      end(organizationId, stop);
    }
  };
}
