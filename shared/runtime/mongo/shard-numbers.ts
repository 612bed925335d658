/** Hands out the lowest free numbers. */
export function createShardNumbers() {
  const taken: boolean[] = [];
  return {
    async take<Result>(work: (shard: number) => Promise<Result>): Promise<Result> {
      const free = taken.indexOf(false);
      const shard = free < 0 ? taken.length : free;
      taken[shard] = true;
      try {
        return await work(shard);
      } finally {
        taken[shard] = false;
      }
    },
  };
}
