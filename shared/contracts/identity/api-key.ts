import { z } from 'zod';
import { exampleIds, exampleInstant } from '../examples.ts';
import { id, name, timestamp } from '../fields.ts';
import { role } from './role.ts';

const exampleKey = {
  id: exampleIds.apiKey,
  name: 'CI',
  prefix: 'ak_4f7Kq2',
  role: 'member',
  createdByUserId: exampleIds.user,
  createdAt: exampleInstant,
  expiresAt: null,
  lastUsedAt: null,
};

export const apiKey = z
  .object({
    id: id(),
    name: name().meta({ description: 'What it is for.' }),
    prefix: z
      .string()
      .meta({ description: 'The first characters of the key, to tell keys apart.' }),
    role,
    createdByUserId: id().meta({ description: 'The member as whom the key acts.' }),
    createdAt: timestamp(),
    expiresAt: timestamp()
      .nullable()
      .meta({ description: 'When it ends; null where it does not.' }),
    lastUsedAt: timestamp()
      .nullable()
      .meta({ description: 'Its last use, to about a minute; null before the first.' }),
  })
  .meta({ id: 'ApiKey', examples: [exampleKey] });

export const createdApiKey = apiKey
  .extend({
    key: z.string().optional().meta({ description: 'The secret: shown once, never in a replay.' }),
  })
  .meta({ id: 'CreatedApiKey', examples: [{ ...exampleKey, key: 'ak_…' }] });

/** The key that a device login gave. */
export const deviceKey = apiKey
  .extend({ key: z.string().meta({ description: 'The secret: shown once.' }) })
  .meta({
    id: 'DeviceKey',
    examples: [{ ...exampleKey, name: 'assay login on adas-laptop', key: 'ak_…' }],
  });

export type ApiKey = z.infer<typeof apiKey>;
