import type { Handlers } from '@assay/contracts/define';
import type { scoring } from '@assay/contracts/scoring';

/** Scoring answers no HTTP operation: it works on jobs. */
export const createRoutes = (): Handlers<typeof scoring> => ({});
