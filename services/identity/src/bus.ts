import { catalog } from '@assay/contracts/catalog';
import type { Answers } from '@assay/contracts/define';
import type { identity as contract } from '@assay/contracts/identity';
import { type Subscription, subscription } from '@assay/runtime/bus/streams';
import type { BrowserSessions } from './domain/browser-sessions.ts';
import type { Deletion } from './domain/deletion.ts';
import type { Forgetting } from './domain/forgetting.ts';
import type { ImportedPeople } from './domain/imported-people.ts';
import type { Operator } from './domain/operator.ts';
import type { OrganizationLife } from './domain/organization-life.ts';
import type { Domain } from './domain.ts';

export const createAnswers = (
  domain: Domain,
  browserSessions: BrowserSessions,
  {
    operator,
    life,
    deletion,
    forgetting,
  }: {
    operator: Operator;
    life: OrganizationLife;
    deletion: Deletion;
    forgetting: Forgetting;
  },
): Answers<typeof contract> => ({
  verifyKey: (_identity, { keyHash }) => domain.verifyKey(keyHash),
  verifySession: (_identity, { secretHash }) => browserSessions.verifySession(secretHash),
  takeRequests: ({ organizationId }, wish) => domain.takeRequests(organizationId, wish),
  findHeldSecrets: (_identity, { secretHashes }) => domain.findHeldSecrets(secretHashes),
  isMember: (identity, { userId }) => domain.isMember(identity, userId),
  ownLimits: (identity) => domain.ownLimits(identity),
  suspension: (identity) => domain.suspension(identity),
  suspendOrganization: (identity, { organizationId }) => life.suspend(identity, organizationId),
  resumeOrganization: (identity, { organizationId }) => life.resume(identity, organizationId),
  deleteOrganization: (identity, { organizationId }) =>
    deletion.deleteOrganization(identity, organizationId),
  forgetTraces: (identity, user) => forgetting.forgetTraces(identity, user),
  forgetSession: (identity, session) => forgetting.forgetSession(identity, session),
  forgetPerson: (identity, person) => forgetting.forgetPerson(identity, person),
  createOrganization: (_identity, body) => operator.createOrganization(body),
  renameOrganization: (_identity, body) => operator.renameOrganization(body),
  listOrganizations: (_identity, { after }) => operator.listOrganizations(after),
  createKey: (_identity, body) => operator.createKey(body),
  createLoginToken: (_identity, body) => operator.createLoginToken(body),
  limits: (identity, { organizationId }) => operator.limits(identity, organizationId),
  setLimits: (identity, body) => operator.setLimits(identity, body),
  revokeKey: (identity, { apiKeyId }) => operator.revokeKey(identity, apiKeyId),
});

export const createSubscriptions = ({ forgetProject }: ImportedPeople): Subscription[] => [
  subscription(catalog, 'projectDeleted', (identity, { projectId }) =>
    forgetProject(identity, projectId),
  ),
];
