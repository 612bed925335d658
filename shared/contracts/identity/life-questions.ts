import { z } from 'zod';
import { question } from '../define.ts';
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
};
