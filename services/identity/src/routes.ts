import type { Handlers } from '@assay/contracts/define';
import type { identity as contract } from '@assay/contracts/identity';
import type { BrowserSessions } from './domain/browser-sessions.ts';
import type { DeviceLogins } from './domain/device-logins.ts';
import type { ImportedPeople } from './domain/imported-people.ts';
import type { Invitations } from './domain/invitations.ts';
import type { Usage } from './domain/usage.ts';
import type { Domain } from './domain.ts';

export const createRoutes = (
  domain: Domain,
  browserSessions: BrowserSessions,
  deviceLogins: DeviceLogins,
  usage: Usage,
  importedPeople: ImportedPeople,
  invitations: Invitations,
): Handlers<typeof contract> => ({
  getOrganization: ({ identity }) => domain.getOrganization(identity),
  getOrganizationUsage: ({ identity }) => usage.getOrganizationUsage(identity),
  listMembers: ({ identity, query, page }) => domain.listMembers(identity, query, page),
  createMember: ({ identity, body }) => domain.createMember(identity, body),
  updateMember: ({ identity, params, body }) => domain.updateMember(identity, params.userId, body),
  deleteMember: ({ identity, params }) => domain.deleteMember(identity, params.userId),
  createInvitation: ({ identity, body }) => invitations.createInvitation(identity, body),
  listInvitations: ({ identity, page }) => invitations.listInvitations(identity, page),
  renewInvitation: ({ identity, params, body }) =>
    invitations.renewInvitation(identity, params.invitationId, body?.expiresAt),
  deleteInvitation: ({ identity, params }) =>
    invitations.deleteInvitation(identity, params.invitationId),
  createSignInLink: ({ identity, params }) => invitations.createSignInLink(identity, params.userId),
  listApiKeys: ({ identity, page }) => domain.listApiKeys(identity, page),
  createApiKey: ({ identity, body }) => domain.createApiKey(identity, body),
  createBrowserSession: ({ identity, body }) =>
    browserSessions.createBrowserSession(identity, body),
  createDownload: ({ identity, body }) => browserSessions.createDownload(identity, body),
  deleteBrowserSession: ({ identity }) => browserSessions.deleteBrowserSession(identity),
  createDeviceLogin: ({ identity, body }) => deviceLogins.createDeviceLogin(identity, body),
  createDeviceKey: ({ body }) => deviceLogins.createDeviceKey(body.deviceCode),
  getDeviceLogin: ({ identity, params }) => deviceLogins.getDeviceLogin(identity, params.userCode),
  approveDeviceLogin: ({ identity, params }) =>
    deviceLogins.approveDeviceLogin(identity, params.userCode),
  denyDeviceLogin: ({ identity, params }) =>
    deviceLogins.denyDeviceLogin(identity, params.userCode),
  deleteDeviceLogin: ({ identity }) => deviceLogins.deleteDeviceLogin(identity),
  getMe: ({ identity }) => browserSessions.getMe(identity),
  verifyKeyDirectly: ({ body }) => domain.verifyKey(body.keyHash),
  verifySessionDirectly: ({ body }) => browserSessions.verifySession(body.secretHash),
  deleteApiKey: ({ identity, params }) => domain.deleteApiKey(identity, params.apiKeyId),
  noteImportedPeople: ({ identity, body }) => importedPeople.note(identity, body),
  exportIdentityPart: ({ identity }) => domain.membersPart.exportPart(identity),
});
