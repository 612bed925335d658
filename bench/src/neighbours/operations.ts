import type { OperationName } from '@assay/contracts/all';

/** Why an operation needs no attack: it is cheap. */
export type Reason =
  | 'asked by services only'
  | 'bounded page'
  | 'is always refused'
  | 'reads one document'
  | 'reads what the process has at hand'
  | 'writes one document';

/** Why an operation needs no turns, although an attack loads it. */
export type Bound =
  | 'bytes of large bodies and replies'
  | 'does nothing until its run changes'
  | 'moves bytes past the database'
  | 'is refused before its service is asked';

export type Line = { attack: string; bound?: Bound } | Reason;

/**
 * The attack that loads each operation of the contract, or the reason why there is none. A new
 * operation does not compile without a line here.
 */
export const operations: Record<OperationName, Line> = {
  // identity
  getOrganization: 'reads one document',
  getOrganizationUsage: 'reads one document',
  listMembers: 'bounded page',
  createMember: 'writes one document',
  updateMember: 'writes one document',
  deleteMember: 'writes one document',
  createInvitation: 'writes one document',
  listInvitations: 'bounded page',
  renewInvitation: 'writes one document',
  deleteInvitation: 'writes one document',
  createSignInLink: 'writes one document',
  listApiKeys: 'bounded page',
  createApiKey: 'writes one document',
  deleteApiKey: 'writes one document',
  createBrowserSession: 'writes one document',
  createDownload: 'writes one document',
  deleteBrowserSession: 'writes one document',
  createDeviceLogin: 'writes one document',
  createDeviceKey: 'writes one document',
  getDeviceLogin: 'reads one document',
  approveDeviceLogin: 'writes one document',
  denyDeviceLogin: 'writes one document',
  deleteDeviceLogin: 'writes one document',
  getMe: 'reads one document',
  verifyKeyDirectly: 'asked by services only',
  verifySessionDirectly: 'asked by services only',
  exportIdentityPart: 'asked by services only',
  noteImportedPeople: 'asked by services only',

  // catalog
  createProject: {
    attack: 'bodies that stop half way',
    bound: 'is refused before its service is asked',
  },
  listProjects: { attack: 'keys that nobody has', bound: 'is refused before its service is asked' },
  getProject: 'reads one document',
  updateProject: 'writes one document',
  deleteProject: { attack: 'deletions of projects and runs' },
  createTestset: { attack: 'checks of schemas' },
  listTestsets: 'bounded page',
  getTestset: 'reads one document',
  updateTestset: { attack: 'copies and deletions of testsets' },
  setBaseline: 'writes one document',
  deleteTestset: { attack: 'copies and deletions of testsets' },
  duplicateTestset: { attack: 'copies and deletions of testsets' },
  findNames: { attack: 'searches of runs' },
  createView: 'writes one document',
  listViews: 'bounded page',
  updateView: 'writes one document',
  deleteView: 'writes one document',
  exportCatalogPart: 'asked by services only',
  restoreCatalogPart: 'asked by services only',
  beginImport: 'asked by services only',
  prolongImport: 'asked by services only',
  finishImport: 'asked by services only',
  abandonImport: 'asked by services only',

  // testcases
  listTestcases: 'bounded page',
  listTestcaseAnnotations: 'bounded page',
  createTestcaseAnnotation: 'writes one document',
  updateTestcaseAnnotation: 'writes one document',
  deleteTestcaseAnnotation: 'writes one document',
  createTestcases: { attack: 'schemas that double at each level' },
  getTestcase: 'reads one document',
  getTestcaseData: {
    attack: 'large records and testcases',
    bound: 'bytes of large bodies and replies',
  },
  updateTestcase: {
    attack: 'large records and testcases',
    bound: 'bytes of large bodies and replies',
  },
  listTestcaseVersions: 'bounded page',
  restoreTestcase: {
    attack: 'large records and testcases',
    bound: 'bytes of large bodies and replies',
  },
  listTestsetChanges: 'bounded page',
  listDuplicates: { attack: 'exports of testcases and projects' },
  deleteTestcases: { attack: 'deletions of projects and runs' },
  tagTestcases: { attack: 'imports of testcases' },
  importTestcases: { attack: 'imports of testcases' },
  checkTestcases: { attack: 'checks of schemas' },
  exportTestcases: { attack: 'exports of testcases and projects' },
  createTestcasesByKey: 'asked by services only',
  exportTestcasesPart: 'asked by services only',
  restoreTestcasesPart: 'asked by services only',

  // systems
  upsertSystem: 'writes one document',
  listSystems: 'bounded page',
  getSystem: 'reads one document',
  updateSystem: 'writes one document',
  deleteSystem: 'writes one document',
  upsertSystemVersion: 'writes one document',
  getSystemVersion: 'reads one document',
  simulateAgent: 'is always refused',
  exportSystemsPart: 'asked by services only',
  restoreSystemsPart: 'asked by services only',
  revealSystemsPart: 'asked by services only',

  // metrics
  createMetric: { attack: 'checks of code that never ends' },
  listMetrics: 'bounded page',
  getMetric: 'reads one document',
  updateMetric: { attack: 'changes of metrics' },
  deleteMetric: 'writes one document',
  listMetricVersions: 'bounded page',
  listEvaluators: 'reads what the process has at hand',
  listJudgeTemplates: 'reads what the process has at hand',
  adoptMetric: { attack: 'changes of metrics' },
  createMetricGroup: 'writes one document',
  listMetricGroups: 'bounded page',
  getMetricGroup: 'reads one document',
  updateMetricGroup: 'writes one document',
  deleteMetricGroup: 'writes one document',
  exportMetricsPart: 'asked by services only',
  restoreMetricsPart: 'asked by services only',
  revealMetricsPart: 'asked by services only',

  // run-records
  createRun: 'writes one document',
  listRuns: { attack: 'searches of runs' },
  getTrends: { attack: 'searches of runs' },
  findNewestRun: { attack: 'searches of runs' },
  previewRunRetention: { attack: 'searches of runs' },
  getRun: 'reads one document',
  updateRun: 'writes one document',
  pauseRun: { attack: 'scores again and again' },
  resumeRun: { attack: 'scores again and again' },
  streamRunEvents: { attack: 'streams of events', bound: 'does nothing until its run changes' },
  deleteRun: { attack: 'deletions of projects and runs' },
  listFailures: 'bounded page',
  retryRun: { attack: 'scores again and again' },
  rescoreRun: { attack: 'scores again and again' },
  estimateRescoring: { attack: 'scores again and again' },
  createRecord: {
    attack: 'large records and testcases',
    bound: 'bytes of large bodies and replies',
  },
  createRecords: { attack: 'uploads of tiny lines' },
  exportRecords: { attack: 'exports of records' },
  listRecords: { attack: 'lists with filters of many tags' },
  searchRecords: { attack: 'searches that find nothing' },
  getRecord: 'reads one document',
  getRecordPayload: {
    attack: 'large records and testcases',
    bound: 'bytes of large bodies and replies',
  },
  deleteRecord: 'writes one document',
  listRecordTags: 'reads one document',
  createRecordTag: 'writes one document',
  deleteRecordTag: 'writes one document',
  listRecordAssignees: 'reads one document',
  createRecordAssignee: 'writes one document',
  deleteRecordAssignee: 'writes one document',
  listAnnotations: 'reads one document',
  createAnnotation: { attack: 'annotations' },
  updateAnnotation: 'writes one document',
  deleteAnnotation: 'writes one document',
  listMentions: 'bounded page',
  putScore: 'writes one document',
  putScores: { attack: 'imports of records and scores' },
  deleteScore: 'writes one document',
  listReviewQueue: { attack: 'review queues' },
  takeReviewItem: { attack: 'review queues' },
  getReviewProgress: { attack: 'review queues' },
  readForScoring: 'asked by services only',
  readForPreview: 'asked by services only',
  readForTrial: 'asked by services only',
  acceptJudgements: 'asked by services only',
  readRuns: 'asked by services only',
  streamRatings: 'asked by services only',
  streamInputs: 'asked by services only',
  streamTags: 'asked by services only',
  readRecords: 'asked by services only',
  readContents: 'asked by services only',
  readReasons: 'asked by services only',
  readJudgeCosts: 'asked by services only',
  findAnswer: 'asked by services only',
  rememberAnswer: 'asked by services only',
  streamLabelDraws: 'asked by services only',
  saveLabelDraw: 'asked by services only',
  openMonitoredRun: 'asked by services only',
  createTracedRecords: 'asked by services only',
  readLinkedRecords: 'asked by services only',
  exportRunRecordsPart: 'asked by services only',
  restoreRunRecordsPart: 'asked by services only',
  revealRunRecordsPart: 'asked by services only',

  // scoring
  previewMetric: { attack: 'previews of prompts that never end' },
  previewNewMetric: { attack: 'previews of metrics' },
  checkMetric: { attack: 'changes of metrics' },
  listJudges: 'reads what the process has at hand',
  createPairwiseComparison: { attack: 'pairwise comparisons' },
  estimatePairwiseComparison: { attack: 'pairwise comparisons' },
  listPairwiseComparisons: 'bounded page',
  getPairwiseComparison: 'reads one document',
  listPairJudgements: 'bounded page',
  retryPairwiseComparison: { attack: 'pairwise comparisons' },
  deletePairwiseComparison: 'writes one document',
  exportScoringPart: 'asked by services only',
  restoreScoringPart: 'asked by services only',
  revealScoringPart: 'asked by services only',

  // results
  getRunSummary: { attack: 'large comparisons' },
  summarizeRuns: { attack: 'large comparisons' },
  compareRuns: { attack: 'large comparisons' },
  listPairs: { attack: 'large comparisons' },
  listComparedTestcases: { attack: 'large comparisons' },
  listFlips: { attack: 'large comparisons' },
  planComparison: { attack: 'plans' },
  drawLabels: { attack: 'label draws' },
  getLabelDraw: { attack: 'label draws' },
  getReliability: { attack: 'label draws' },

  // sessions
  declareAttachment: 'writes one document',
  uploadAttachment: { attack: 'attachments', bound: 'moves bytes past the database' },
  commitAttachment: { attack: 'attachments', bound: 'moves bytes past the database' },
  getAttachment: 'reads one document',
  downloadAttachment: { attack: 'attachments', bound: 'moves bytes past the database' },
  deleteAttachment: 'writes one document',
  listSessionAttachments: 'bounded page',
  exportAttachments: 'asked by services only',
  restoreAttachments: 'asked by services only',
  revealAttachments: 'asked by services only',

  // transfers
  exportProject: { attack: 'exports of testcases and projects' },
  importProject: { attack: 'imports of projects' },

  // traces
  exportTraces: {
    attack: 'exports and deletions of spans',
    bound: 'bytes of large bodies and replies',
  },
  exportLogs: {
    attack: 'exports and deletions of spans',
    bound: 'bytes of large bodies and replies',
  },
  exportMetrics: {
    attack: 'exports and deletions of spans',
    bound: 'bytes of large bodies and replies',
  },
  listTraces: { attack: 'lists of traces and their volume' },
  searchTraces: { attack: 'searches of traces that find nothing' },
  getTraceVolume: { attack: 'lists of traces and their volume' },
  getTrace: 'reads one document',
  deleteTrace: { attack: 'exports and deletions of spans' },
  listSpans: { attack: 'reads of spans' },
  getConversation: { attack: 'reads of spans' },
  getSpan: { attack: 'reads of spans' },
  listSessionTraces: { attack: 'exports and deletions of spans' },
  createTraceAnnotation: 'writes one document',
  updateTraceAnnotation: 'writes one document',
  deleteTraceAnnotation: 'writes one document',
  createTestcasesFromTraces: { attack: 'testcases and records from traces' },
  createRecordsFromTraces: { attack: 'testcases and records from traces' },
  saveMonitor: 'writes one document',
  previewMonitor: { attack: 'backfills of monitors' },
  listMonitors: 'bounded page',
  getMonitor: 'reads one document',
  updateMonitor: 'writes one document',
  deleteMonitor: 'writes one document',
  backfillMonitor: { attack: 'backfills of monitors' },
  exportTracesPart: 'asked by services only',
  restoreTracesPart: 'asked by services only',
  revealTracesPart: 'asked by services only',
};

/** The same for each tool of agents. */
export const tools = {
  overview: { attack: 'tools of agents' },
  find: { attack: 'tools of agents' },
  run_status: { attack: 'tools of agents' },
  list_records: { attack: 'tools of agents' },
  get_record: { attack: 'tools of agents' },
  explain_failures: { attack: 'tools of agents' },
  compare_runs: { attack: 'tools of agents' },
  metric_reliability: { attack: 'tools of agents' },
  preview_metric: { attack: 'tools of agents' },
  create_testcases: { attack: 'tools of agents' },
  save_metric: 'writes one document',
  score_record: 'writes one document',
  annotate_record: 'writes one document',
  start_rescore: { attack: 'tools of agents' },
} satisfies Record<string, Line>;

export type ToolName = keyof typeof tools;

/** The operations and tools that name this attack. */
export const attackedBy = (attack: string): string[] =>
  Object.entries<Line>({ ...operations, ...tools }).flatMap(([name, line]) =>
    typeof line !== 'string' && line.attack === attack ? [name] : [],
  );
