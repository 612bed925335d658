/** A day where the browser is, as fields of dates have it: 2026-11-20. */
const dayOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');

/** The day that was so many days ago. */
export function dayBefore(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() - days);
  return dayOf(date);
}

function instantIn(day: string, days: number): string {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + days);
  return date.toISOString();
}

export const startOfDay = (day: string): string => instantIn(day, 0);
export const endOfDay = (day: string): string => instantIn(day, 1);
