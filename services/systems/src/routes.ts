import type { Handlers } from '@assay/contracts/define';
import type { systems } from '@assay/contracts/systems';
import type { Domain } from './domain.ts';

export const createRoutes = (domain: Domain): Handlers<typeof systems> => ({
  upsertSystem: ({ identity, params, body }) =>
    domain.upsertSystem(identity, params.projectId, body),
  listSystems: ({ identity, params, page }) => domain.listSystems(identity, params.projectId, page),
  getSystem: ({ identity, params }) => domain.getSystem(identity, params.systemId),
  updateSystem: ({ identity, params, body }) =>
    domain.updateSystem(identity, params.systemId, body),
  deleteSystem: ({ identity, params }) => domain.deleteSystem(identity, params.systemId),
  upsertSystemVersion: ({ identity, params, body }) =>
    domain.upsertVersion(identity, params.systemId, body),
  getSystemVersion: ({ identity, params }) => domain.getVersion(identity, params.systemVersionId),
  simulateAgent: () => domain.simulateAgent(),

  exportSystemsPart: ({ identity, body }) => domain.systemPart.exportPart(identity, body),
  restoreSystemsPart: ({ identity, query, stream }) =>
    domain.systemPart.restorePart(identity, query.projectId, stream),
  revealSystemsPart: ({ identity, body }) => domain.systemPart.revealPart(identity, body.projectId),
});
