import type { Answers } from '@assay/contracts/define';
import type { identity as contract } from '@assay/contracts/identity';
import type { Operator } from './domain/operator.ts';
import type { Domain } from './domain.ts';

export const createAnswers = (domain: Domain, operator: Operator): Answers<typeof contract> => ({
  verifyKey: (_identity, { keyHash }) => domain.verifyKey(keyHash),
  isMember: (identity, { userId }) => domain.isMember(identity, userId),
  createOrganization: (identity, body) => operator.createOrganization(identity, body),
  listOrganizations: (identity, { after }) => operator.listOrganizations(identity, after),
  createKey: (identity, body) => operator.createKey(identity, body),
  revokeKey: (identity, { apiKeyId }) => operator.revokeKey(identity, apiKeyId),
});
