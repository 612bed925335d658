/**
 * Runs at most `width` jobs at a time, first come first served, but leaves one place to light jobs: heavy ones take at most `width - 1`
 * (at least one). So a few hostile schemas cannot keep everybody waiting.
 */
export function createLanes({ width }: { width: number }) {
  const heavyMax = Math.max(1, width - 1);
  const waiting: { heavy: boolean; start: () => void }[] = [];
  let running = 0;
  let heavyRunning = 0;

  function startNext(): void {
    while (running < width) {
      const next = waiting.findIndex(({ heavy }) => !heavy || heavyRunning < heavyMax);
      if (next < 0) return;
      const [job] = waiting.splice(next, 1);
      running++;
      if (job!.heavy) heavyRunning++;
      job!.start();
    }
  }

  async function run<Result>({ heavy, job }: { heavy: boolean; job: () => Promise<Result> }): Promise<Result> {
    await new Promise<void>((start) => {
      waiting.push({ heavy, start });
      startNext();
    });
    try {
      return await job();
    } finally {
      running--;
      if (heavy) heavyRunning--;
      startNext();
    }
  }

  return { run };
}
