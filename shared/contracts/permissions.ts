import type { ServiceName } from './all.ts';
import type { catalog } from './catalog.ts';
import type { Question, Service } from './define.ts';
import { erasingServices } from './erasing-services.ts';
import { erasureOf } from './erasure.ts';
import type { identity } from './identity.ts';
import type { metrics } from './metrics.ts';
import type { results } from './results.ts';
import type { runRecords } from './run-records.ts';
import type { scoring } from './scoring.ts';
import type { sessions } from './sessions.ts';
import type { systems } from './systems.ts';
import type { testcases } from './testcases.ts';
import type { traces } from './traces.ts';
import type { transfers } from './transfers.ts';

/** A process that has keys of its own (ADR 81). The one for agents is a client, and has none. */
export type ProcessName = ServiceName | 'gateway';

type Processes = readonly ProcessName[];

/** Every question but those of the operator, which a secret of their own signs. */
type Askers<Contract extends Service> = {
  [Name in keyof Contract['questions'] as Contract['questions'][Name] extends {
    access: Question['access'];
  }
    ? never
    : Name]: Processes;
};

/** Every operation that services call, and clients do not. */
type Callers<Contract extends Service> = {
  [Name in keyof Contract['operations'] as Contract['operations'][Name] extends {
    access: 'service';
  }
    ? Name
    : never]: Processes;
};

type Hearers<Contract extends Service> = { [Name in keyof Contract['events']]: Processes };
type Publishers<Contract extends Service> = { [Name in keyof Contract['jobs']]: Processes };

interface Permissions<Contract extends Service> {
  /** Who asks each question. */
  asked: Askers<Contract>;
  /** Who calls each operation that is for services; the others are the gateway's. */
  called: Callers<Contract>;
  /** Who hears each event, which the service itself alone publishes. */
  heard: Hearers<Contract>;
  /** Who publishes each job, beside the service itself, which alone works on it. */
  published: Publishers<Contract>;
}

const exported = ['transfers'] as const;
const authorMover = ['identity'] as const;
const projectOwner = ['catalog'] as const;
const nameFinder = ['catalog'] as const;
const usageTeller = ['identity'] as const;

/**
 * The rights of each process at each service. The answering service refuses everything else, whatever
 * the caller knows; the operator's commands give each process the keys for no more than this. Each
 * question, operation, event and job of the contracts has its line: the type wants it.
 */
export const permissions: {
  identity: Permissions<typeof identity>;
  catalog: Permissions<typeof catalog>;
  testcases: Permissions<typeof testcases>;
  systems: Permissions<typeof systems>;
  metrics: Permissions<typeof metrics>;
  'run-records': Permissions<typeof runRecords>;
  scoring: Permissions<typeof scoring>;
  results: Permissions<typeof results>;
  sessions: Permissions<typeof sessions>;
  transfers: Permissions<typeof transfers>;
  traces: Permissions<typeof traces>;
} = {
  identity: {
    asked: {
      verifyKey: ['gateway'],
      verifySession: ['gateway'],
      findHeldSecrets: ['gateway'],
      takeRequests: ['gateway'],
      isMember: ['run-records', 'testcases', 'traces'],
      ownLimits: ['gateway', 'run-records', 'scoring', 'sessions', 'traces'],
      suspension: ['run-records', 'scoring', 'sessions', 'traces'],
    },
    called: {
      verifyKeyDirectly: ['gateway'],
      verifySessionDirectly: ['gateway'],
      exportIdentityPart: exported,
      noteImportedPeople: exported,
    },
    heard: {
      keyRevoked: ['gateway'],
      browserSessionEnded: ['gateway'],
      memberChanged: ['gateway'],
      suspensionChanged: ['gateway', 'run-records', 'scoring', 'sessions', 'traces'],
      limitsChanged: ['gateway', 'run-records', 'scoring', 'sessions', 'traces'],
    },
    published: {},
  },
  catalog: {
    asked: {
      project: ['metrics', 'run-records', 'scoring', 'systems', 'traces'],
      oldestProject: ['traces'],
      testset: ['results', 'run-records', 'testcases', 'traces'],
      testsetFields: ['metrics'],
      baseline: ['results'],
      runRetention: ['run-records'],
    },
    called: {
      exportCatalogPart: exported,
      restoreCatalogPart: exported,
      beginImport: exported,
      prolongImport: exported,
      finishImport: exported,
      abandonImport: exported,
    },
    heard: {
      projectDeleted: [
        'identity',
        'metrics',
        'run-records',
        'scoring',
        'sessions',
        'systems',
        'traces',
      ],
      testsetDeleted: ['run-records', 'testcases'],
    },
    published: {},
  },
  testcases: {
    asked: {
      count: ['results', 'run-records'],
      part: ['run-records'],
      existing: ['run-records'],
      metadataAt: ['results', 'run-records'],
      mentions: ['run-records'],
      moveAuthor: authorMover,
      copy: ['catalog'],
    },
    called: {
      createTestcasesByKey: ['traces'],
      exportTestcasesPart: exported,
      restoreTestcasesPart: exported,
    },
    heard: { testcasesDeleted: ['run-records'] },
    published: {},
  },
  systems: {
    asked: { systemVersion: ['run-records'], names: nameFinder, forgetProject: projectOwner },
    called: {
      exportSystemsPart: exported,
      restoreSystemsPart: exported,
      revealSystemsPart: exported,
    },
    heard: {},
    published: {},
  },
  metrics: {
    asked: {
      currentVersions: ['results', 'run-records', 'scoring', 'traces'],
      version: ['results', 'run-records', 'scoring'],
      metricOfGuidelines: ['traces'],
      changes: ['results'],
      changedVersion: ['scoring'],
      checkedVersion: ['scoring'],
      names: nameFinder,
      moveAuthor: authorMover,
      forgetProject: projectOwner,
    },
    called: {
      exportMetricsPart: exported,
      restoreMetricsPart: exported,
      revealMetricsPart: exported,
    },
    heard: {},
    published: {},
  },
  'run-records': {
    asked: {
      run: ['catalog', 'traces'],
      runsOfSpentBudgets: ['traces'],
      names: nameFinder,
      moveAuthor: authorMover,
      forgetProject: projectOwner,
      usage: usageTeller,
    },
    called: {
      readForScoring: ['scoring'],
      readForPreview: ['scoring'],
      readForTrial: ['scoring'],
      acceptJudgements: ['scoring'],
      readRuns: ['results', 'scoring'],
      streamRatings: ['results', 'scoring'],
      streamInputs: ['results'],
      streamTags: ['results'],
      readRecords: ['results', 'scoring'],
      readContents: ['results'],
      readReasons: ['results'],
      readJudgeCosts: ['results'],
      findAnswer: ['results'],
      rememberAnswer: ['results'],
      streamLabelDraws: ['results'],
      saveLabelDraw: ['results'],
      openMonitoredRun: ['traces'],
      createTracedRecords: ['traces'],
      readLinkedRecords: ['traces'],
      exportRunRecordsPart: exported,
      restoreRunRecordsPart: exported,
      revealRunRecordsPart: exported,
    },
    heard: { linkedRecordsCreated: ['traces'] },
    published: {},
  },
  scoring: {
    asked: {
      moveAuthor: authorMover,
      forgetProject: projectOwner,
      usage: usageTeller,
      waitingFor: ['run-records'],
      judge: ['metrics', 'results'],
      modelPrice: ['traces'],
    },
    called: {
      exportScoringPart: exported,
      restoreScoringPart: exported,
      revealScoringPart: exported,
    },
    heard: {},
    published: { scoreRecords: ['run-records'], judgeRecords: ['run-records'], judgePairs: [] },
  },
  results: {
    asked: {
      recordCost: ['run-records', 'traces'],
      look: ['run-records'],
      runResults: ['run-records'],
      forgetRun: ['run-records'],
    },
    called: {},
    heard: {},
    published: {},
  },
  sessions: {
    asked: { forgetSession: ['identity'], usage: usageTeller },
    called: {
      exportAttachments: exported,
      restoreAttachments: exported,
      revealAttachments: exported,
    },
    heard: {},
    published: {},
  },
  transfers: { asked: {}, called: {}, heard: {}, published: {} },
  traces: {
    asked: {
      tracesOf: ['run-records'],
      names: nameFinder,
      mentions: ['run-records'],
      moveAuthor: authorMover,
      forgetProject: projectOwner,
      forgetTraces: ['identity'],
      usage: usageTeller,
    },
    called: {
      exportTracesPart: exported,
      restoreTracesPart: exported,
      revealTracesPart: exported,
    },
    heard: {},
    published: {},
  },
};

/** Asks every service with a database to erase an organization, and to count the rest. */
const eraser: ProcessName = 'identity';
const erasureQuestions = Object.keys(erasureOf(eraser).questions);

/** Signs addresses that the gateway opens: browsers download by them. */
const addressSigner: ProcessName = 'identity';

type Table = Record<string, Record<'asked' | 'called' | 'heard' | 'published', Lines> | undefined>;
type Lines = Record<string, readonly string[] | undefined>;

const table = permissions as unknown as Table;

/** May this process ask this question? */
export const mayAsk = (asker: string, service: string, question: string): boolean =>
  (asker === eraser && erasureQuestions.includes(question)) ||
  has(table[service]?.asked[question], asker);

/** May this process call this operation? `isForServices` as its contract says. */
export const mayCall = (
  caller: string,
  { service, operation, isForServices }: OperationToCall,
): boolean =>
  isForServices ? has(table[service]?.called[operation], caller) : caller === 'gateway';

interface OperationToCall {
  service: string;
  operation: string;
  isForServices: boolean;
}

/** May this process publish this event or this job? Any may bury a message that it gave up. */
export const mayPublish = (
  publisher: string,
  { kind, service, name }: { kind: string; service: string; name: string },
): boolean =>
  kind === 'dead' ||
  publisher === service ||
  (kind === 'job' && has(table[service]?.published[name], publisher));

/** The services whose questions or operations this process asks for, and so has keys towards. */
export const receiversOf = (process: string): string[] => [
  ...(process === addressSigner ? ['gateway'] : []),
  ...Object.entries(table)
    .filter(
      ([service, lines]) =>
        process === 'gateway' ||
        (process === eraser && has(erasingServices, service)) ||
        isIn(process, lines!.asked) ||
        isIn(process, lines!.called),
    )
    .map(([service]) => service),
];

/** The processes whose events or jobs this one reads, and so knows their publishing keys. */
export const publishersFor = (process: string): string[] => [
  ...new Set([
    ...Object.entries(table)
      .filter(([, lines]) => isIn(process, lines!.heard))
      .map(([service]) => service),
    ...Object.values(table[process]?.published ?? {}).flatMap((publishers) => publishers ?? []),
  ]),
];

const has = (processes: readonly string[] | undefined, process: string): boolean =>
  processes?.includes(process) ?? false;

const isIn = (process: string, lines: Lines): boolean =>
  Object.values(lines).some((processes) => has(processes, process));
