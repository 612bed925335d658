const unitsMs: Record<string, number> = { min: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The instant that a person has written, as the API takes it: a date or a time of their own time
 * zone, or how long ago it was, such as 7d. Undefined for any other text.
 */
export function instantOf(written: string, now = Date.now()): string | undefined {
  const [, count, unit] = /^(\d{1,6})(min|h|d)$/.exec(written.trim()) ?? [];
  const isTime = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z?)?$/.test(written);
  // A date alone would be read as one of UTC.
  const time = count
    ? now - Number(count) * unitsMs[unit!]!
    : isTime
      ? Date.parse(isDay(written) ? `${written}T00:00` : written.replace(' ', 'T'))
      : Number.NaN;
  return Number.isNaN(time) || Math.abs(time) > 8e15 ? undefined : new Date(time).toISOString();
}

/** The end of a written time: that of the whole day where it is a date alone. */
export function endOf(written: string, now = Date.now()): string | undefined {
  const instant = instantOf(written, now);
  if (instant === undefined || !isDay(written)) return instant;
  const end = new Date(instant);
  // A day of the local time zone may have 23 or 25 hours.
  end.setDate(end.getDate() + 1);
  return end.toISOString();
}

const isDay = (written: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(written);
