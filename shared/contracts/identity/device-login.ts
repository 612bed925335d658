import { z } from 'zod';
import { exampleInstant, exampleUserCode } from '../examples.ts';
import { timestamp } from '../fields.ts';

/** How long a device login waits for its approval, in seconds. */
export const deviceLoginSeconds = 10 * 60;

/** How long a device waits between two questions whether it is approved, in seconds. */
export const devicePollSeconds = 5;

/**
 * The letters of a user code: no vowels, so that it spells no word, and nothing that is taken for a
 * digit (RFC 8628, section 6.1).
 */
export const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';

/** The request of a device; no sign of an address or of another script is in its name. */
export const deviceToLogIn = z.object({
  clientName: z
    .string()
    .max(100)
    .regex(
      /^[\w(][\w .'()-]*$/,
      "must begin with a letter or digit, and have letters, digits, spaces and _ . ' ( ) - alone",
    )
    .meta({
      description:
        'What people call the device, such as the name of its host. The approval page shows it.',
    }),
});

export const startedDeviceLogin = z
  .object({
    deviceCode: z.string().meta({ description: 'The secret of the device: shown once.' }),
    userCode: z.string().meta({ description: 'What the person compares or types in.' }),
    verificationPath: z.string().meta({
      description:
        'The page of the console on which a member approves. The console is where the API is, without its `/v2`.',
    }),
    expiresInSeconds: z.int().meta({ description: 'How long it waits for its approval.' }),
    intervalSeconds: z.int().meta({ description: 'How long to wait between two questions.' }),
  })
  .meta({
    id: 'StartedDeviceLogin',
    examples: [
      {
        deviceCode: 'ad_…',
        userCode: exampleUserCode,
        verificationPath: `/device?code=${exampleUserCode}`,
        expiresInSeconds: deviceLoginSeconds,
        intervalSeconds: devicePollSeconds,
      },
    ],
  });

export const deviceLogin = z
  .object({
    userCode: z.string().meta({ description: 'What the device shows.' }),
    clientName: z.string().meta({ description: 'What the device says of itself: unverified.' }),
    clientAddress: z.string().meta({
      description:
        'The network address from which it was asked; behind a proxy that the gateway does not trust, that of the proxy.',
    }),
    state: z
      .enum(['waiting', 'approved', 'denied'])
      .meta({ description: 'What a member has said.' }),
    createdAt: timestamp(),
    expiresAt: timestamp().meta({ description: 'Until when it can be approved.' }),
  })
  .meta({
    id: 'DeviceLogin',
    examples: [
      {
        userCode: exampleUserCode,
        clientName: 'adas-laptop',
        clientAddress: '192.0.2.7',
        state: 'waiting',
        createdAt: exampleInstant,
        expiresAt: exampleInstant,
      },
    ],
  });

export type StartedDeviceLogin = z.infer<typeof startedDeviceLogin>;
export type DeviceLogin = z.infer<typeof deviceLogin>;

/** The device's question for its key. */
export const deviceToken = z.object({
  deviceCode: z.string().max(128).meta({ description: 'The secret of the device.' }),
});

/** A user code in a path, in small letters or without its hyphen too. */
export const userCodeParams = {
  userCode: z
    .string()
    .regex(/^[A-Za-z]{4}-?[A-Za-z]{4}$/, 'must be a code of eight letters, such as WDJB-MJHT')
    .meta({ description: 'What the device shows.' }),
};
