import { z } from 'zod';
import { event, list, operation, question, service } from './define.ts';
import { exampleIds, exampleInstant } from './examples.ts';
import { id, name, reference, sentInstant, success, text, timestamp } from './fields.ts';
import { apiKey, createdApiKey, deviceKey } from './identity/api-key.ts';
import {
  browserSessionOperations,
  sessionToVerify,
  verifiedSession,
} from './identity/browser-sessions.ts';
import {
  deviceLogin,
  deviceToken,
  deviceToLogIn,
  startedDeviceLogin,
  userCodeParams,
} from './identity/device-login.ts';
import { gatewayQuestions, keyToVerify, verifiedKey } from './identity/gateway-questions.ts';
import {
  importedPersonFields,
  memberFilters,
  noteImportedPeople,
} from './identity/imported-people.ts';
import { email, invitationOperations } from './identity/invitations.ts';
import { lifeQuestions } from './identity/life-questions.ts';
import { operatedOrganization, organization } from './identity/organization.ts';
import { role } from './identity/role.ts';
import { limitChange, organizationUsage, ownLimits } from './limits.ts';
import { partExport } from './project-file/operations.ts';

export * from './identity/api-key.ts';
export * from './identity/browser-sessions.ts';
export * from './identity/device-login.ts';
export {
  heldSecretsMax,
  type RequestWish,
  type TakenRequests,
  type VerifiedKey,
} from './identity/gateway-questions.ts';
export { importedPeopleAtOnceMax } from './identity/imported-people.ts';
export {
  type CreatedInvitation,
  type Invitation,
  invitationDays,
  invitationsMax,
  type SignInLink,
  signInLinkHours,
} from './identity/invitations.ts';
export * from './identity/organization.ts';
export * from './identity/role.ts';

/** An imported person has none: nobody acts as them. */
const listedRole = z
  .enum([...role.options, 'none'])
  .meta({ description: 'An admin also manages members and keys. `none` is of imported people.' });

export const member = z
  .object({
    userId: id(),
    email: text(320).meta({
      description:
        'No other member of the organization has it. Empty for an imported person of whom the file gives none.',
    }),
    name: name().nullable().meta({ description: 'As others see them.' }),
    role: listedRole,
    createdAt: timestamp().meta({ description: 'When they were added or imported.' }),
    lastSeenAt: timestamp().nullable().optional().meta({
      description:
        'The last request in a browser or by one of their keys, to about five minutes; null before the first. Left out of imported people.',
    }),
    ...importedPersonFields,
  })
  .meta({
    id: 'Member',
    examples: [
      {
        userId: exampleIds.user,
        email: 'ada@example.com',
        name: 'Ada',
        role: 'admin',
        createdAt: exampleInstant,
        lastSeenAt: exampleInstant,
      },
    ],
  });

export const caller = z
  .object({
    member,
    organization,
    role: role.meta({ description: 'What the caller may do: never more than the member.' }),
    key: apiKey
      .nullable()
      .meta({ description: 'The key that the request acts with, also in a session begun by it.' }),
    session: z
      .object({
        createdAt: timestamp(),
        expiresAt: timestamp().meta({ description: 'When it ends.' }),
      })
      .nullable()
      .meta({
        description: 'The browser session of the request. Each use puts off its end, up to 7 days.',
      }),
  })
  .meta({ id: 'Caller' });

export type Caller = z.infer<typeof caller>;
export type Member = z.infer<typeof member>;

/** SHA-256 in base64url. */
const secretHash = z.string().regex(/^[\w-]{43}$/);

/** A key that was made elsewhere, without its secret: a key does not travel on the bus. */
const madeKey = z.object({
  keyHash: secretHash,
  prefix: z.string().regex(/^ak_[0-9A-Za-z]{7}$/),
});

export const identity = service({
  name: 'identity',
  summary: 'Organizations, members and API keys',
  operations: {
    getOrganization: operation({
      method: 'GET',
      path: '/organization',
      summary: 'Get the organization of the API key',
      reply: organization,
      status: 200,
    }),
    getOrganizationUsage: operation({
      method: 'GET',
      path: '/organization/usage',
      summary: 'Get what the organization has used, and its limits',
      description:
        'The limits are set by the operator, for the installation or for one organization. What is over one is refused: 409 of what is kept, 429 of what is counted by time.',
      reply: organizationUsage,
      status: 200,
    }),
    listMembers: list({
      path: '/members',
      summary: 'List the members, or the imported people, oldest first',
      query: memberFilters,
      item: member,
    }),
    createMember: operation({
      method: 'POST',
      path: '/members',
      summary: 'Add a member',
      access: 'admin',
      body: z.object({
        email,
        name: name().optional(),
        role: role.default('member'),
      }),
      reply: member,
      status: 201,
      failures: ['CONFLICT'],
      example: { body: { email: 'ada@example.com', name: 'Ada' } },
    }),
    updateMember: operation({
      method: 'PATCH',
      path: '/members/:userId',
      summary:
        "Update a member's e-mail address, name or role, or map an imported person to a member",
      description:
        'With `mapTo` alone, of an imported person: all that the person made, in the whole project, becomes that member’s, in seconds or minutes, and the person goes. Where both scored the same, the member’s score stays. The reply is the member. A repeat changes nothing; who has mapped the person is kept.',
      access: 'admin',
      body: z
        .object({
          email,
          name: name().nullable(),
          role,
          mapTo: reference().meta({
            description: 'The member to whom an imported person is mapped: sent alone.',
          }),
        })
        .partial(),
      reply: member,
      status: 200,
      failures: ['CONFLICT'],
      example: { body: { role: 'admin' } },
    }),
    deleteMember: operation({
      method: 'DELETE',
      path: '/members/:userId',
      summary: "Remove a member and revoke the member's keys",
      access: 'admin',
      reply: success,
      status: 200,
      failures: ['CONFLICT'],
    }),
    ...invitationOperations,
    listApiKeys: list({
      path: '/api-keys',
      summary: 'List the API keys, oldest first, without their secrets',
      item: apiKey,
    }),
    createApiKey: operation({
      method: 'POST',
      path: '/api-keys',
      summary: 'Create an API key; only this response contains its secret',
      access: 'admin',
      body: z.object({
        name: name(),
        role: role.default('member'),
        expiresAt: sentInstant()
          .nullable()
          .optional()
          .meta({ description: 'When it ends; it does not when left out.' }),
      }),
      reply: createdApiKey,
      status: 201,
      shownOnce: ['key'],
      example: { body: { name: 'CI' } },
    }),
    deleteApiKey: operation({
      method: 'DELETE',
      path: '/api-keys/:apiKeyId',
      summary: 'Revoke an API key; every gateway refuses it within a second',
      access: 'admin',
      reply: success,
      status: 200,
    }),
    ...browserSessionOperations,
    createDeviceLogin: operation({
      method: 'POST',
      path: '/session/device',
      summary: 'Begin the login of a device that has no API key, such as a command line',
      description:
        'The device authorization grant of RFC 8628: a member approves the login in the console, and the device asks `POST /session/device/token` for its key meanwhile.',
      access: 'keyless',
      body: deviceToLogIn,
      bodyBytesMax: 4096,
      reply: startedDeviceLogin,
      status: 201,
      example: { body: { clientName: 'adas-laptop' } },
    }),
    createDeviceKey: operation({
      method: 'POST',
      path: '/session/device/token',
      summary: 'Get the API key of a device login, once a member has approved it',
      description:
        'Gives one key for a login, and shows it once. Until then it fails: `AUTHORIZATION_PENDING` means to ask again after the interval, `SLOW_DOWN` to make the interval 5 seconds longer, `ACCESS_DENIED` and `EXPIRED_TOKEN` to stop.',
      access: 'keyless',
      body: deviceToken,
      bodyBytesMax: 4096,
      reply: deviceKey,
      status: 200,
      failures: [
        'AUTHORIZATION_PENDING',
        'SLOW_DOWN',
        'ACCESS_DENIED',
        'EXPIRED_TOKEN',
        'FORBIDDEN',
      ],
      example: { body: { deviceCode: 'ad_…' } },
    }),
    getDeviceLogin: operation({
      method: 'GET',
      path: '/session/device/:userCode',
      summary: 'Get the device login that waits under a user code',
      params: userCodeParams,
      reply: deviceLogin,
      status: 200,
    }),
    approveDeviceLogin: operation({
      method: 'POST',
      path: '/session/device/:userCode/approve',
      summary: 'Approve a device login: the device gets an API key of this member',
      description:
        'The key has the role of this request. A key, or a session that a key began, must be of an admin for this, as for `POST /api-keys`.',
      params: userCodeParams,
      reply: deviceLogin,
      status: 200,
    }),
    denyDeviceLogin: operation({
      method: 'POST',
      path: '/session/device/:userCode/deny',
      summary: 'Deny a device login',
      params: userCodeParams,
      reply: deviceLogin,
      status: 200,
    }),
    deleteDeviceLogin: operation({
      method: 'DELETE',
      path: '/session/device',
      summary: 'Log a device out: revoke the API key of this request, which a device login gave',
      reply: success,
      status: 200,
      failures: ['NOT_FOUND'],
    }),
    getMe: operation({
      method: 'GET',
      path: '/me',
      summary: 'Get the member, organization, role and key or session of this request',
      reply: caller,
      status: 200,
    }),
    verifyKeyDirectly: operation({
      method: 'POST',
      path: '/internal/verify-key',
      summary: 'The question verifyKey over HTTP, for the gateway while the bus is unavailable',
      access: 'service',
      body: keyToVerify,
      reply: verifiedKey,
      status: 200,
    }),
    verifySessionDirectly: operation({
      method: 'POST',
      path: '/internal/verify-session',
      summary: 'The question verifySession over HTTP, for the gateway while the bus is unavailable',
      access: 'service',
      body: sessionToVerify,
      reply: verifiedSession,
      status: 200,
    }),
    exportIdentityPart: partExport('identity'),
    noteImportedPeople,
  },
  questions: {
    ...gatewayQuestions,
    isMember: question({
      summary: 'Whether a user is a member of the organization',
      payload: z.object({ userId: z.string() }),
      reply: z.object({ found: z.boolean() }),
    }),
    ownLimits: question({
      summary:
        'The limits that the operator has set for the organization alone, each in place of a setting of the installation',
      payload: z.object({}),
      reply: ownLimits,
      /** Short: a request that is counted goes on without. */
      timeoutMs: 1000,
    }),
    suspension: question({
      summary: 'Whether the operator has suspended the organization',
      payload: z.object({}),
      reply: z.object({ isSuspended: z.boolean() }),
      /** Short: work that is due goes on without. */
      timeoutMs: 1000,
    }),
    ...lifeQuestions,
    createOrganization: question({
      access: 'operator',
      summary:
        'Create an organization, its first admin and a key of that admin; the caller generates the key and sends only its hash',
      payload: z.object({
        name: name(),
        email: z.email().default('admin@localhost.localdomain'),
        key: madeKey,
      }),
      reply: z.object({ organization }),
    }),
    renameOrganization: question({
      access: 'operator',
      summary: 'Give an organization another name',
      payload: z.object({ organizationId: z.string(), name: name() }),
      reply: z.object({ organization }),
    }),
    listOrganizations: question({
      access: 'operator',
      summary:
        'All organizations, oldest first; `next` is the cursor of the next page, or null on the last',
      payload: z.object({ after: z.string().optional() }),
      reply: z.object({
        organizations: z.array(operatedOrganization),
        next: z.string().nullable(),
      }),
    }),
    createKey: question({
      access: 'operator',
      summary:
        "Create another key for an organization's first admin, as in `createOrganization`: how an operator regains access",
      payload: z.object({ organizationId: z.string(), name: text(256, 1), role, key: madeKey }),
      reply: z.object({ apiKey }),
    }),
    revokeKey: question({
      access: 'operator',
      summary: 'Revoke a key by its id',
      payload: z.object({ apiKeyId: z.string() }),
      reply: z.object({ revoked: z.boolean() }),
    }),
    createLoginToken: question({
      access: 'operator',
      summary:
        'Let a member sign in once within 10 minutes, by a token of which the caller sends only the hash; `member` is an e-mail address, a user id, or the id of an organization for its first admin',
      payload: z.object({ member: text(320, 1), tokenHash: secretHash }),
      reply: z.object({ member, organization }),
    }),
    setLimits: question({
      access: 'operator',
      summary: "Set limits of one organization in place of the installation's; null takes one back",
      payload: z.object({ organizationId: z.string(), change: limitChange }),
      reply: z.object({ limits: ownLimits }),
    }),
    limits: question({
      access: 'operator',
      summary: 'The limits that an organization has of its own, and its usage',
      payload: z.object({ organizationId: z.string() }),
      reply: z.object({ limits: ownLimits, usage: organizationUsage }),
      timeoutMs: 10_000,
    }),
  },
  events: {
    keyRevoked: event({
      summary: 'A key is no longer valid',
      payload: z.object({ keyHash: z.string(), apiKeyId: z.string().optional() }),
    }),
    browserSessionEnded: event({
      summary: 'A member has signed a browser out',
      payload: z.object({ browserSessionId: z.string() }),
    }),
    memberChanged: event({
      summary: 'A member was removed or has another role',
      payload: z.object({ userId: z.string() }),
    }),
    suspensionChanged: event({
      summary: 'The operator has suspended an organization, or resumed it',
      payload: z.object({ organizationId: z.string() }),
    }),
    limitsChanged: event({
      summary: 'The operator has set limits of an organization, or taken them back',
      payload: z.object({ organizationId: z.string() }),
    }),
  },
});
