import { z } from 'zod';
import { list, operation } from '../define.ts';
import { exampleIds, exampleInstant } from '../examples.ts';
import { id, name, sentInstant, success, timestamp } from '../fields.ts';
import { role } from './role.ts';

/** The open invitations of an organization. */
export const invitationsMax = 100;

/** How long an invitation is open where nothing else is said, and at most. */
export const invitationDays = { usual: 7, max: 30 };

/** How long a link lasts that signs a member in, in hours. */
export const signInLinkHours = 24;

export const email = z
  .email()
  .max(320)
  .meta({ description: 'No other member of the organization has it.' });

const link = z.string().optional().meta({
  description:
    'Opens the console and signs in, once. Shown once, never in a replay. It begins as `PUBLIC_URL` of identity does; without that it is a path below the address of the console, which is where the API is, without its `/v2`.',
});

const exampleInvitation = {
  id: exampleIds.invitation,
  email: 'grace@example.com',
  name: 'Grace',
  role: 'member',
  invitedByUserId: exampleIds.user,
  createdAt: exampleInstant,
  expiresAt: exampleInstant,
};
const exampleLink = 'https://assay.example.com/login#once=al_…';

export const invitation = z
  .object({
    id: id().meta({ description: 'Also the user id of the member who accepts it.' }),
    email: z.string().meta({ description: 'Of the invited person: nobody checked it.' }),
    name: name().nullable(),
    role: role.meta({ description: 'What the member may do who accepts it.' }),
    invitedByUserId: id().meta({ description: 'The admin who made its link.' }),
    createdAt: timestamp(),
    expiresAt: timestamp().meta({ description: 'Until when its link works.' }),
  })
  .meta({ id: 'Invitation', examples: [exampleInvitation] });

const createdInvitation = invitation.extend({ link }).meta({
  id: 'CreatedInvitation',
  examples: [{ ...exampleInvitation, link: exampleLink }],
});

const signInLink = z
  .object({ link, expiresAt: timestamp().meta({ description: 'Until when it works.' }) })
  .meta({ id: 'SignInLink', examples: [{ link: exampleLink, expiresAt: exampleInstant }] });

const expiresAt = sentInstant()
  .optional()
  .meta({
    description: `Until when the link works: ${invitationDays.usual} days from now when left out, ${invitationDays.max} at most.`,
  });

export type Invitation = z.infer<typeof invitation>;
export type CreatedInvitation = z.infer<typeof createdInvitation>;
export type SignInLink = z.infer<typeof signInLink>;

/** The operations by which people get in. */
export const invitationOperations = {
  createInvitation: operation({
    method: 'POST',
    path: '/invitations',
    summary: 'Invite a person: the reply has a link by which they join, once',
    description:
      'Nothing is sent: give the link to the person yourself, as you would give a key. Whoever opens it first becomes the member.',
    access: 'admin',
    body: z.object({ email, name: name().optional(), role: role.default('member'), expiresAt }),
    reply: createdInvitation,
    status: 201,
    shownOnce: ['link'],
    failures: ['CONFLICT'],
    example: { body: { email: 'grace@example.com', name: 'Grace' } },
  }),
  listInvitations: list({
    path: '/invitations',
    summary: 'List the open invitations, oldest first, without their links',
    item: invitation,
  }),
  renewInvitation: operation({
    method: 'POST',
    path: '/invitations/:invitationId/link',
    summary: 'Make another link of an invitation; the one before ends',
    access: 'admin',
    body: z.object({ expiresAt }).optional(),
    reply: createdInvitation,
    status: 201,
    shownOnce: ['link'],
    example: { body: {} },
  }),
  deleteInvitation: operation({
    method: 'DELETE',
    path: '/invitations/:invitationId',
    summary: 'Withdraw an invitation: its link ends',
    access: 'admin',
    reply: success,
    status: 200,
  }),
  createSignInLink: operation({
    method: 'POST',
    path: '/members/:userId/sign-in-link',
    summary: `Make a link that signs a member in, once, within ${signInLinkHours} hours; the one before ends`,
    description:
      'For members who have no key at hand. Whoever opens the link works as that member: give it to nobody else.',
    access: 'admin',
    reply: signInLink,
    status: 201,
    shownOnce: ['link'],
  }),
};
