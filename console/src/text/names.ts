import { formatInstant } from './format.ts';

/** What a run is called: its name, or when it was. */
export const runName = ({ name, createdAt }: { name?: string | null; createdAt: string }): string =>
  name || `Run of ${formatInstant(createdAt)}`;
