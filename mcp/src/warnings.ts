import type { Marks } from './marks.ts';

interface Warning {
  code: string;
  message: string;
  details?: object | undefined;
  metric?: string | undefined;
}

const warningsMax = 10;

/** The first warnings, with their words between marks: these have the names of errors, too. */
export const markedWarnings = (
  warnings: Warning[],
  marks: Pick<Marks, 'data'>,
  charactersMax: number,
): Warning[] =>
  warnings.slice(0, warningsMax).map(({ details = {}, ...warning }) => ({
    ...warning,
    details: Object.fromEntries(Object.entries(details).filter(([key]) => key !== 'names')),
    message: marks.data(warning.message, charactersMax),
  }));
