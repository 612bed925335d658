import { useAll } from './all.ts';

/** All members of the organization. */
export const useMembers = (options: { isEnabled?: boolean } = {}) => useAll('/members', options);
