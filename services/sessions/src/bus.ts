import { catalog } from '@assay/contracts/catalog';
import type { Answers } from '@assay/contracts/define';
import type { sessions } from '@assay/contracts/sessions';
import { type Subscription, subscription } from '@assay/runtime/bus/streams';
import type { ByteQuota } from './domain/byte-quota.ts';
import type { AttachmentPart } from './domain/project-part.ts';
import type { Domain } from './domain.ts';

export const createAnswers = (
  { usage }: ByteQuota,
  { forgetSession }: Domain,
): Answers<typeof sessions> => ({
  forgetSession: (identity, { sessionId }) => forgetSession(identity, sessionId),
  usage: (identity) => usage(identity),
});

/** An import that fails is announced as the deletion of its project. */
export const createSubscriptions = ({ forgetProject }: AttachmentPart): Subscription[] => [
  subscription(catalog, 'projectDeleted', (identity, { projectId }) =>
    forgetProject(identity, projectId),
  ),
];
