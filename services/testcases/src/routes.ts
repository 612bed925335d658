import type { Handlers } from '@assay/contracts/define';
import { previewRequest } from '@assay/contracts/preview';
import type { testcases } from '@assay/contracts/testcases';
import type { Domain } from './domain.ts';

export const createRoutes = (domain: Domain): Handlers<typeof testcases> => ({
  listTestcases: ({ identity, params, query, page }) =>
    domain.listTestcases(identity, params.testsetId, {
      previews: previewRequest(query),
      filter: { text: query.q, isInvalid: query.invalid },
      page,
    }),
  createTestcases: ({ identity, params, body }) =>
    domain.createTestcases(identity, params.testsetId, body.items),
  getTestcase: ({ identity, params }) => domain.getTestcase(identity, params.testcaseId),
  getTestcaseData: ({ identity, params, query }) =>
    domain.getTestcaseData(identity, params.testcaseId, { isDownload: query.download }),
  updateTestcase: ({ identity, params, body }) =>
    domain.updateTestcase(identity, params.testcaseId, body.jsonData),
  deleteTestcases: ({ identity, body }) => domain.deleteTestcases(identity, body.ids),
  checkTestcases: ({ identity, params, body }) =>
    domain.checkTestcases(identity, params.testsetId, body),
  importTestcases: ({ identity, params, query, stream, contentType, idempotencyKey }) =>
    domain.importTestcases(
      identity,
      params.testsetId,
      { stream, contentType },
      { isDryRun: query.dryRun ?? false, idempotencyKey },
    ),
  exportTestcases: ({ identity, params, query }) =>
    domain.exportTestcases(identity, params.testsetId, query.format),
});
