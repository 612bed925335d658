/** How many records of a run are to be reviewed: a share between 0 and 1, or a number. */
export type DrawSize = { share: number } | { count: number };

/** How many that are among so many. */
const sizeOf = (size: DrawSize, among: number): number =>
  Math.min(among, 'share' in size ? Math.ceil(size.share * among) : size.count);

/** Returns as many of the ids as are to be reviewed, drawn by chance, each as likely as any other. */
export function draw(ids: readonly string[], size: DrawSize, random = Math.random): string[] {
  const drawn = [...ids];
  const wanted = sizeOf(size, drawn.length);
  // Fisher and Yates, as far as is wanted.
  for (let place = 0; place < wanted; place += 1) {
    const other = place + Math.floor(random() * (drawn.length - place));
    [drawn[place], drawn[other]] = [drawn[other]!, drawn[place]!];
  }
  return drawn.slice(0, wanted);
}

/**
 * Returns who is to score which record: each by so many members, or by all where there are fewer,
 * so that no two members have more than one record more or less than each other.
 */
export function deal(
  recordIds: readonly string[],
  userIds: readonly string[],
  perRecord: number,
): { recordId: string; userId: string }[] {
  const each = Math.min(perRecord, userIds.length);
  return recordIds.flatMap((recordId, record) =>
    Array.from({ length: each }, (_, index) => ({
      recordId,
      userId: userIds[(record * each + index) % userIds.length]!,
    })),
  );
}
