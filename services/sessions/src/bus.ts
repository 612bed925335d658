import { catalog } from '@assay/contracts/catalog';
import type { Answers } from '@assay/contracts/define';
import type { sessions } from '@assay/contracts/sessions';
import { type Subscription, subscription } from '@assay/runtime/bus/streams';
import type { AttachmentPart } from './domain/project-part.ts';

/** No other service asks this one. */
export const createAnswers = (): Answers<typeof sessions> => ({});

/** An import that fails is announced as the deletion of its project. */
export const createSubscriptions = ({ forgetProject }: AttachmentPart): Subscription[] => [
  subscription(catalog, 'projectDeleted', (identity, { projectId }) =>
    forgetProject(identity, projectId),
  ),
];
