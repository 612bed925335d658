import type { Handlers } from '@assay/contracts/define';
import { previewRequest } from '@assay/contracts/preview';
import type { runRecords } from '@assay/contracts/run-records';
import type { Domain } from './domain.ts';

export const createRoutes = ({
  runs,
  runList,
  newestRun,
  trends,
  runRetention,
  runChanges,
  pause,
  failures,
  deletion,
  events,
  records,
  recordSearch,
  bulk,
  tags,
  assignees,
  annotations,
  mentions,
  scores,
  bulkScores,
  rescoring,
  rescoreEstimate,
  scoringInput,
  reviewQueue,
  reviewLeases,
  reviewProgress,
  labelDraws,
  resultsInput,
  tracedRecords,
  linkedRecords,
  exports,
  exportPart,
  restorePart,
}: Domain): Handlers<typeof runRecords> => ({
  createRun: ({ identity, params, body }) => runs.create(identity, params.projectId, body),
  listRuns: ({ identity, params, query, page }) =>
    runList.list(identity, params.projectId, { filters: query, page }),
  getTrends: ({ identity, params, query }) => trends.get(identity, params.projectId, query),
  findNewestRun: ({ identity, params, body }) => newestRun.find(identity, params.projectId, body),
  previewRunRetention: ({ identity, params, query }) =>
    runRetention.preview(identity, params.projectId, query.days),
  updateRun: ({ identity, params, body }) => runChanges.update(identity, params.runId, body),
  pauseRun: ({ identity, params }) => pause.pause(identity, params.runId),
  resumeRun: ({ identity, params }) => pause.resume(identity, params.runId),
  deleteRun: ({ identity, params }) => deletion.deleteRun(identity, params.runId),
  getRun: ({ identity, params }) => runs.get(identity, params.runId),
  streamRunEvents: ({ identity, params, lastEventId }) =>
    events.stream(identity, params.runId, lastEventId),
  listFailures: ({ identity, params, page }) => failures.list(identity, params.runId, page),
  retryRun: ({ identity, params }) => failures.retry(identity, params.runId),
  rescoreRun: ({ identity, params, body }) => rescoring.rescore(identity, params.runId, body ?? {}),
  estimateRescoring: ({ identity, params, body }) =>
    rescoreEstimate.estimate(identity, params.runId, body ?? {}),

  createRecord: ({ identity, params, body, idempotencyKey }) =>
    records.create(identity, params.runId, body, idempotencyKey),
  listRecords: ({ identity, params, query, page }) =>
    records.list(identity, params.runId, { query, previews: previewRequest(query), page }),
  searchRecords: ({ identity, params, query, body, page }) =>
    recordSearch.search(identity, params.runId, {
      ...body,
      previews: previewRequest(query),
      page,
    }),
  createRecords: ({ identity, params, stream, idempotencyKey }) =>
    bulk.create(identity, params.runId, stream, idempotencyKey),
  exportRecords: ({ identity, params, query }) =>
    exports.exportRecords(identity, params.runId, query.format),
  getRecord: ({ identity, params, query }) =>
    records.get(identity, params.recordId, previewRequest(query)),
  getRecordPayload: ({ identity, params, query }) =>
    records.payload(identity, params.recordId, {
      field: params.field,
      isDownload: query.download,
    }),
  deleteRecord: ({ identity, params }) => records.delete(identity, params.recordId),

  putScore: ({ identity, params, body }) =>
    scores.put(identity, params.recordId, params.metricConfigId, body),
  putScores: ({ identity, params, stream }) => bulkScores.put(identity, params.runId, stream),
  deleteScore: ({ identity, params, query }) =>
    scores.delete(identity, params.recordId, params.metricConfigId, query.userId),

  listRecordTags: ({ identity, params }) => tags.list(identity, params.recordId),
  createRecordTag: ({ identity, params, body }) =>
    tags.create(identity, params.recordId, body.text),
  deleteRecordTag: ({ identity, params }) => tags.delete(identity, params.recordId, params.text),
  listRecordAssignees: ({ identity, params }) => assignees.list(identity, params.recordId),
  createRecordAssignee: ({ identity, params, body }) =>
    assignees.create(identity, params.recordId, body.assigneeUserId),
  deleteRecordAssignee: ({ identity, params }) =>
    assignees.delete(identity, params.recordId, params.assigneeUserId),
  listAnnotations: ({ identity, params }) => annotations.list(identity, params.recordId),
  createAnnotation: ({ identity, params, body }) =>
    annotations.create(identity, params.recordId, body),
  updateAnnotation: ({ identity, params, body }) => annotations.update(identity, params, body),
  deleteAnnotation: ({ identity, params }) => annotations.delete(identity, params),
  listMentions: ({ identity, params, page }) => mentions.list(identity, params.projectId, page),

  listReviewQueue: ({ identity, query, page }) =>
    reviewQueue.list(identity, { ...query, previews: previewRequest(query), page }),
  takeReviewItem: ({ identity, query, body }) =>
    reviewLeases.next(identity, body, previewRequest(query)),
  getReviewProgress: ({ identity, query }) => reviewProgress.get(identity, query),

  readForScoring: ({ identity, body }) => scoringInput.readForScoring(identity, body),
  readForPreview: ({ identity, body }) => scoringInput.readForPreview(identity, body),
  readForTrial: ({ identity, body }) => scoringInput.readForTrial(identity, body),
  acceptJudgements: ({ identity, body }) => scores.accept(identity, body),

  readRuns: ({ identity, body }) => resultsInput.readRuns(identity, body),
  streamRatings: async ({ identity, body }) => resultsInput.ratings(identity, body),
  streamInputs: async ({ identity, body }) => resultsInput.inputs(identity, body),
  streamTags: async ({ identity, body }) => resultsInput.tags(identity, body),
  readRecords: ({ identity, body }) => resultsInput.readRecords(identity, body),
  readContents: ({ identity, body }) => resultsInput.readContents(identity, body),
  readJudgeCosts: ({ identity, body }) => resultsInput.readJudgeCosts(identity, body),
  readReasons: ({ identity, body }) => resultsInput.readReasons(identity, body),
  findAnswer: ({ identity, body }) => resultsInput.findAnswer(identity, body.keyId),
  rememberAnswer: ({ identity, body }) => resultsInput.rememberAnswer(identity, body),
  streamLabelDraws: async ({ identity, body }) => labelDraws.list(identity, body),
  saveLabelDraw: ({ identity, body }) => labelDraws.save(identity, body),
  openMonitoredRun: ({ identity, body }) => tracedRecords.openRun(identity, body),
  createTracedRecords: ({ identity, body }) =>
    tracedRecords.create(identity, body.runId, body.records),
  readLinkedRecords: ({ identity, body }) => linkedRecords.read(identity, body),

  exportRunRecordsPart: ({ identity, body }) => exportPart.exportPart(identity, body),
  restoreRunRecordsPart: ({ identity, query, stream }) =>
    restorePart.restorePart(identity, query.projectId, stream),
  revealRunRecordsPart: ({ identity, body }) => restorePart.revealPart(identity, body.projectId),
});
