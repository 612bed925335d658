import { parseByValue } from '@assay/json/parse';

/** The part of its testset that a new run is over; all of it where no data is wanted. */
export const partOf = (where: string | undefined): { where?: Record<string, unknown> } =>
  where === undefined ? {} : { where: parseByValue(where) as Record<string, unknown> };
