import type { Handlers } from '@assay/contracts/define';
import type { identity as contract } from '@assay/contracts/identity';
import type { Domain } from './domain.ts';

export const createRoutes = (domain: Domain): Handlers<typeof contract> => ({
  getOrganization: ({ identity }) => domain.getOrganization(identity),
  listMembers: ({ identity, page }) => domain.listMembers(identity, page),
  createMember: ({ identity, body }) => domain.createMember(identity, body),
  updateMember: ({ identity, params, body }) => domain.updateMember(identity, params.userId, body),
  deleteMember: ({ identity, params }) => domain.deleteMember(identity, params.userId),
  listApiKeys: ({ identity, page }) => domain.listApiKeys(identity, page),
  createApiKey: ({ identity, body }) => domain.createApiKey(identity, body),
  verifyKeyDirectly: ({ body }) => domain.verifyKey(body.keyHash),
  deleteApiKey: ({ identity, params }) => domain.deleteApiKey(identity, params.apiKeyId),
});
