import type { Handlers } from '@assay/contracts/define';
import { previewRequest } from '@assay/contracts/preview';
import type { testcases } from '@assay/contracts/testcases';
import type { Domain } from './domain.ts';

export const createRoutes = (domain: Domain): Handlers<typeof testcases> => ({
  listTestcases: ({ identity, params, query, page }) =>
    domain.listTestcases(identity, params.testsetId, {
      previews: previewRequest(query),
      filter: {
        keys: query.key,
        text: query.q,
        where: query.where,
        isInvalid: query.invalid,
      },
      page,
    }),
  createTestcases: ({ identity, params, body }) =>
    domain.createTestcases(identity, params.testsetId, body.items),
  getTestcase: ({ identity, params }) => domain.getTestcase(identity, params.testcaseId),
  getTestcaseData: ({ identity, params, query }) =>
    domain.getTestcaseData(identity, params.testcaseId, { isDownload: query.download }),
  updateTestcase: ({ identity, params, body }) =>
    domain.updateTestcase(identity, params.testcaseId, body),
  listTestcaseVersions: ({ identity, params, page }) =>
    domain.listVersions(identity, params.testcaseId, page),
  restoreTestcase: ({ identity, params, body }) =>
    domain.restoreVersion(identity, params.testcaseId, body.version),
  listTestsetChanges: ({ identity, params, query, page }) =>
    domain.listChanges(identity, params.testsetId, {
      since: query.since,
      until: query.until,
      page,
    }),
  listDuplicates: ({ identity, params, query }) =>
    domain.listDuplicates(identity, params.testsetId, { previews: previewRequest(query) }),
  deleteTestcases: ({ identity, body }) => domain.deleteTestcases(identity, body.ids),
  tagTestcases: ({ identity, params, body }) =>
    domain.tagTestcases(identity, params.testsetId, body),
  checkTestcases: ({ identity, params, body }) =>
    domain.checkTestcases(identity, params.testsetId, body),
  importTestcases: ({ identity, params, query, stream, contentType, idempotencyKey }) =>
    domain.importTestcases(
      identity,
      params.testsetId,
      { stream, contentType },
      {
        mode: query.mode,
        isDryRun: query.dryRun ?? false,
        isSummaryOnly: query.answers === 'summary',
        idempotencyKey,
      },
    ),
  exportTestcases: ({ identity, params, query }) =>
    domain.exportTestcases(identity, params.testsetId, query.format),

  listTestcaseAnnotations: ({ identity, params }) =>
    domain.annotations.list(identity, params.testcaseId),
  createTestcaseAnnotation: ({ identity, params, body }) =>
    domain.annotations.create(identity, params.testcaseId, body),
  updateTestcaseAnnotation: ({ identity, params, body }) =>
    domain.annotations.update(identity, params, body),
  deleteTestcaseAnnotation: ({ identity, params }) => domain.annotations.delete(identity, params),

  createTestcasesByKey: ({ identity, body }) => domain.createByKey(identity, body.testsetId, body),
  exportTestcasesPart: ({ identity, body }) => domain.testcasePart.exportPart(identity, body),
  restoreTestcasesPart: ({ identity, query, stream }) =>
    domain.testcasePart.restorePart(identity, query.projectId, stream),
});
