import { z } from 'zod';

export const role = z
  .enum(['admin', 'member'])
  .meta({ description: 'An admin also manages members and keys.' });
export type Role = z.infer<typeof role>;
