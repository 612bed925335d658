import { z } from 'zod';
import { question } from '../define.ts';
import { place } from '../erasure.ts';
import { count, text } from '../fields.ts';
import { erasedSome, namedSession, tracedUser } from '../forgetting.ts';
import { operatedOrganization } from './organization.ts';

const ofOrganization = z.object({ organizationId: z.string() });

/** The operator's questions about the life of an organization. */
export const lifeQuestions = {
  suspendOrganization: question({
    access: 'operator',
    summary:
      'Refuse every request of an organization and do nothing for it that costs, until it is resumed; its data is kept',
    payload: ofOrganization,
    reply: z.object({ organization: operatedOrganization }),
  }),
  resumeOrganization: question({
    access: 'operator',
    summary: 'Serve a suspended organization again',
    payload: ofOrganization,
    reply: z.object({ organization: operatedOrganization }),
  }),
  deleteOrganization: question({
    access: 'operator',
    summary:
      'Erase some more of a suspended organization everywhere, and count what is left; to be asked until it is done. `settlesAt` is when nothing that was under way at its suspension can be stored any more: it is not done before',
    payload: ofOrganization,
    reply: z.object({
      places: z.array(place.extend({ service: z.string() })),
      settlesAt: z.string(),
      isDone: z.boolean(),
    }),
    timeoutMs: 120_000,
  }),
  forgetPerson: question({
    access: 'operator',
    summary:
      'Erase a person from an organization: the member with name and e-mail address, keys, sessions and logins. `user` is a user id, or the e-mail address of a member',
    payload: ofOrganization.extend({ user: text(320, 1) }),
    reply: z.object({
      userId: z.string(),
      places: z.array(z.object({ place: z.string(), erased: count(), left: count() })),
    }),
  }),
  forgetTraces: question({
    access: 'operator',
    summary:
      "Erase some traces of a user of an organization's systems, by the id that their spans name; to be asked until it is done",
    payload: ofOrganization.extend(tracedUser.shape),
    reply: erasedSome,
    timeoutMs: 60_000,
  }),
  forgetSession: question({
    access: 'operator',
    summary:
      'Erase some traces and attachments of a session, by the id that they name; to be asked until it is done. Records that name it stay',
    payload: ofOrganization.extend(namedSession.shape),
    reply: erasedSome,
    timeoutMs: 60_000,
  }),
};
