import type { catalog } from '@assay/contracts/catalog';
import type { Handlers } from '@assay/contracts/define';
import type { Domain } from './domain.ts';

export const createRoutes = (domain: Domain): Handlers<typeof catalog> => ({
  createProject: ({ identity, body }) => domain.createProject(identity, body),
  listProjects: ({ identity, page }) => domain.listProjects(identity, page),
  getProject: ({ identity, params }) => domain.getProject(identity, params.projectId),
  updateProject: ({ identity, params, body }) =>
    domain.updateProject(identity, params.projectId, body),
  deleteProject: ({ identity, params }) => domain.deleteProject(identity, params.projectId),
  createTestset: ({ identity, params, body }) =>
    domain.createTestset(identity, params.projectId, body),
  listTestsets: ({ identity, params, page }) =>
    domain.listTestsets(identity, params.projectId, page),
  getTestset: ({ identity, params }) => domain.getTestset(identity, params.testsetId),
  updateTestset: ({ identity, params, body }) =>
    domain.updateTestset(identity, params.testsetId, body),
  setBaseline: ({ identity, params, body }) =>
    domain.setBaseline(identity, params.testsetId, body.runId),
  deleteTestset: ({ identity, params }) => domain.deleteTestset(identity, params.testsetId),
  duplicateTestset: ({ identity, params, body }) =>
    domain.duplicateTestset(identity, params.testsetId, body?.name),
  findNames: ({ identity, params, query }) => domain.names.find(identity, params.projectId, query),

  createView: ({ identity, params, body }) => domain.views.create(identity, params.projectId, body),
  listViews: ({ identity, params, query, page }) =>
    domain.views.list(identity, params.projectId, { list: query.list, page }),
  updateView: ({ identity, params, body }) => domain.views.update(identity, params.viewId, body),
  deleteView: ({ identity, params }) => domain.views.delete(identity, params.viewId),

  exportCatalogPart: ({ identity, body }) => domain.projectPart.exportPart(identity, body),
  restoreCatalogPart: ({ identity, query, stream }) =>
    domain.projectPart.restorePart(identity, query.projectId, stream),
  beginImport: ({ identity, body }) => domain.imports.begin(identity, body),
  prolongImport: ({ identity, body }) => domain.imports.prolong(identity, body.projectId),
  finishImport: ({ identity, body }) => domain.imports.finish(identity, body),
  abandonImport: ({ identity, body }) => domain.imports.abandon(identity, body.projectId),
});
