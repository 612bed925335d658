/** The services that have a database. Identity's own is the last that an organization leaves. */
export const erasingServices = [
  'catalog',
  'testcases',
  'systems',
  'metrics',
  'run-records',
  'scoring',
  'results',
  'sessions',
  'traces',
  'identity',
] as const;
export type ErasingService = (typeof erasingServices)[number];
