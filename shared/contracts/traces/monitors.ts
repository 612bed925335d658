import { z } from 'zod';
import { list, operation } from '../define.ts';
import { exampleIds, exampleInstant } from '../examples.ts';
import {
  byName,
  count,
  grouped,
  id,
  reference,
  sentInstant,
  storedName,
  success,
  text,
  timestamp,
} from '../fields.ts';
import { traceSelection } from './from-traces.ts';
import { traceId } from './ids.ts';

/** Metrics of one monitor. */
export const monitoredMetricsMax = 100;
/** Monitors of one project that are not paused: each of its traces is asked about by all of them. */
export const activeMonitorsMax = 100;
const metricTextCharactersMax = 20_000;
const tagsMax = 50;
const metadataMax = 20;
const attributesMax = 10;
/** Days that a monitor tells. */
export const monitorDaysMax = 30;
/** The newest traces that a preview looks at; fewer where it has to read their spans. */
export const previewedTracesMax = 1000;
export const previewedSpansMax = 200;
export const previewExamplesMax = 5;

const pairs = (max: number) =>
  byName(storedName(256), text(2000))
    .refine((given) => Object.keys(given).length <= max, `must have at most ${max} pairs`)
    .nullish();

const filterText = (about: string) => text(512, 1).nullish().meta({ description: about });

export const monitorFilter = z
  .object({
    serviceName: filterText('The name of the service.'),
    name: filterText('The name of the trace.'),
    spanName: filterText('A span of this name is in it.'),
    attributes: pairs(attributesMax).meta({
      description:
        'A span has all of these attributes, and the name `spanName` where that is given. A value is compared as text: a number by its digits, `true`, a list or an object as its JSON.',
    }),
    model: filterText('A model that answered in it.'),
    tags: z
      .array(text(512, 1))
      .max(tagsMax)
      .nullish()
      .meta({ description: 'It has all of these.' }),
    metadata: pairs(metadataMax).meta({ description: 'Its metadata has all of these.' }),
    hasError: z.boolean().nullish().meta({ description: 'Has a span with an error, or none.' }),
    minDurationMs: z
      .number()
      .min(0)
      .nullish()
      .meta({ description: 'It took at least so many milliseconds.' }),
    rating: z.boolean().nullish().meta({
      description:
        'Somebody rated it good, or bad. A trace that comes has no rating yet: this is for a backfill.',
    }),
  })
  .meta({ id: 'MonitorFilter', description: 'The traces that a monitor looks at: all of these.' });

/** The settings of a monitor, but for its filter and its metrics. */
export const monitorSettings = {
  description: text(256, 1).meta({ description: 'Its name, unique in its project.' }),
  sampleRate: z.number().min(0).max(1).meta({
    description:
      'The share of matching traces that become records. Which ones is decided by their ids, alike by every process.',
  }),
  sampleBy: z.enum(['trace', 'session']).meta({
    description: '`session`: all traces of a session are taken, or none.',
  }),
  maxPerHour: z.int().min(1).nullable().meta({ description: 'Records in an hour of the clock.' }),
  budgetUsdPerDay: z
    .number()
    .min(0)
    .max(1_000_000)
    .nullable()
    .meta({ description: 'The budget for judges of the run of each day.' }),
  select: traceSelection,
  isPaused: z.boolean().meta({
    description: `It takes no traces while it is paused. At most ${activeMonitorsMax} monitors of a project are not.`,
  }),
};

const optional = {
  sampleRate: monitorSettings.sampleRate.optional(),
  sampleBy: monitorSettings.sampleBy.optional(),
  maxPerHour: monitorSettings.maxPerHour.optional(),
  budgetUsdPerDay: monitorSettings.budgetUsdPerDay.optional(),
  select: monitorSettings.select.optional(),
  isPaused: monitorSettings.isPaused.optional(),
};

/** `sampled = recorded + repeated + overLimit + empty + refused`, and `seen ≥ matched ≥ sampled`. */
const monitorCounts = z
  .object({
    seen: count().meta({ description: 'Settled traces that it was asked about.' }),
    matched: count().meta({ description: 'Of these, those that pass its filter.' }),
    sampled: count().meta({ description: 'Of these, those that its rate takes.' }),
    recorded: count().meta({
      description:
        'Of these, those that became records: each record counts once, also where the first try to make it failed half-way.',
    }),
    repeated: count().meta({
      description:
        'Were counted as `recorded` in the run of their day before: more spans came, or they were asked about again. They take nothing of `maxPerHour`.',
    }),
    overLimit: count().meta({ description: 'Came when `maxPerHour` was reached.' }),
    empty: count().meta({ description: 'Have nothing of what is selected.' }),
    refused: count().meta({ description: 'Could not become records: see `problem`.' }),
  })
  .meta({ id: 'MonitorCounts' });
export type MonitorCounts = z.infer<typeof monitorCounts>;

/** The counts of a monitor that has seen nothing. */
export const noMonitorCounts: Readonly<MonitorCounts> = {
  seen: 0,
  matched: 0,
  sampled: 0,
  recorded: 0,
  repeated: 0,
  overLimit: 0,
  empty: 0,
  refused: 0,
};

const day = z.object({
  day: z.iso.date().meta({ description: 'The day, in UTC, on which the traces began.' }),
  runId: id().nullable().meta({ description: 'The run of the day; null before its first record.' }),
  counts: monitorCounts,
});

const monitor = z
  .object({
    id: id(),
    projectId: id(),
    metricIds: z.array(id()),
    filter: monitorFilter,
    ...monitorSettings,
    createdAt: timestamp(),
    problem: z.string().nullable().meta({
      description: 'Why the last traces could not become records; null where they could.',
    }),
    isBudgetSpent: z.boolean().nullable().meta({
      description:
        'The run of the last day has spent its budget: its judges score no more, until the next day or until the run gets a higher one. Null where this is not known at the moment.',
    }),
    days: z
      .array(day)
      .max(monitorDaysMax)
      .meta({
        description: `The last ${monitorDaysMax} days on which it saw traces, the newest first.`,
      }),
  })
  .meta({
    id: 'Monitor',
    description:
      'Turns traces into records while they come: of one run for each day, with the source `Monitor`, scored by its metrics.',
    examples: [
      {
        id: exampleIds.monitor,
        projectId: exampleIds.project,
        description: 'Answers of the support bot',
        metricIds: [exampleIds.metric],
        filter: { serviceName: 'support-bot' },
        sampleRate: 0.05,
        sampleBy: 'trace',
        maxPerHour: 500,
        budgetUsdPerDay: 5,
        select: 'trace',
        isPaused: false,
        createdAt: exampleInstant,
        problem: null,
        isBudgetSpent: false,
        days: [
          {
            day: '2026-03-01',
            runId: exampleIds.run,
            counts: {
              seen: 2000,
              matched: 1200,
              sampled: 60,
              recorded: 60,
              repeated: 0,
              overLimit: 0,
              empty: 0,
              refused: 0,
            },
          },
        ],
      },
    ],
  });
export type Monitor = z.infer<typeof monitor>;

const instants = { from: sentInstant(), to: sentInstant() };

const preview = z
  .object({
    seen: count().meta({
      description: `Settled traces that began within the last hour, the ${grouped(previewedTracesMax)} newest; the ${previewedSpansMax} newest where the filter looks at spans.`,
    }),
    matched: count().meta({ description: 'Those of them that the filter takes.' }),
    sampled: count().meta({ description: 'Those of them that the rate takes.' }),
    examples: z
      .array(
        z.object({
          traceId,
          name: z.string(),
          startedAt: timestamp().meta({ description: 'When its first span began.' }),
          inputPreview: z.string().nullable().meta({ description: 'How its input begins.' }),
        }),
      )
      .max(previewExamplesMax)
      .meta({ description: 'The newest of those that match.' }),
  })
  .meta({ id: 'MonitorPreview', description: 'What a monitor would take of the last hour.' });
export type MonitorPreview = z.infer<typeof preview>;

/** The operations on monitors. */
export const monitorOperations = {
  saveMonitor: operation({
    method: 'PUT',
    path: '/projects/:projectId/monitors',
    summary: 'Create a monitor, or change the one of this description',
    description:
      'What is left out keeps its value; of a new monitor, every trace matches and is taken. A change of metrics holds for the run of the next day.',
    body: z.object({
      description: monitorSettings.description,
      metrics: z
        .array(z.string().min(1).max(metricTextCharactersMax))
        .min(1)
        .max(monitoredMetricsMax)
        .meta({
          description:
            'Ids of metrics; any other text becomes a metric of a judge, whose guidelines it is.',
        }),
      filter: monitorFilter.optional(),
      ...optional,
    }),
    reply: monitor,
    status: 200,
    failures: ['CONFLICT'],
    example: {
      body: {
        description: 'Answers of the support bot',
        metrics: [exampleIds.metric],
        filter: { serviceName: 'support-bot' },
        sampleRate: 0.05,
        maxPerHour: 500,
        budgetUsdPerDay: 5,
      },
    },
  }),
  previewMonitor: operation({
    method: 'POST',
    path: '/projects/:projectId/monitors/preview',
    expensive: true,
    summary: 'What a filter and a rate would take of the traces of the last hour',
    description: 'Nothing is stored, and no record is made.',
    takesLong: true,
    body: z.object({
      monitorId: reference().optional().meta({
        description:
          'The monitor whose settings these become: which traces a rate takes depends on its id.',
      }),
      filter: monitorFilter.optional(),
      sampleRate: monitorSettings.sampleRate.optional(),
      sampleBy: monitorSettings.sampleBy.optional(),
    }),
    reply: preview,
    status: 200,
    example: {
      body: { filter: { serviceName: 'support-bot' }, sampleRate: 0.05 },
      reply: {
        seen: 80,
        matched: 50,
        sampled: 2,
        examples: [
          {
            traceId: exampleIds.trace,
            name: 'answer-question',
            startedAt: exampleInstant,
            inputPreview: 'Where is my parcel?',
          },
        ],
      },
    },
  }),
  listMonitors: list({
    path: '/projects/:projectId/monitors',
    summary: 'List the monitors of a project, newest first',
    item: monitor,
  }),
  getMonitor: operation({
    method: 'GET',
    path: '/monitors/:monitorId',
    summary: 'Get a monitor with the counts of its days',
    reply: monitor,
    status: 200,
  }),
  updateMonitor: operation({
    method: 'PATCH',
    path: '/monitors/:monitorId',
    summary: 'Change a monitor; a change of metrics holds for the run of the next day',
    body: z.object({
      description: monitorSettings.description.optional(),
      metricIds: z.array(reference()).min(1).max(monitoredMetricsMax).optional(),
      filter: monitorFilter.optional(),
      ...optional,
    }),
    reply: monitor,
    status: 200,
    failures: ['CONFLICT'],
    example: { body: { isPaused: true } },
  }),
  deleteMonitor: operation({
    method: 'DELETE',
    path: '/monitors/:monitorId',
    summary: 'Delete a monitor; its runs stay',
    reply: success,
    status: 200,
  }),
  backfillMonitor: operation({
    method: 'POST',
    path: '/monitors/:monitorId/backfill',
    expensive: true,
    summary: 'Ask a monitor about traces that have settled before, or only count them',
    description:
      'Its filter, rate, limits and budgets hold as for traces that come. A trace that has its record already gets no second one. A paused monitor is asked when it goes on.',
    takesLong: true,
    body: z.object({
      from: instants.from.meta({ description: 'Traces that began from then on.' }),
      to: instants.to.meta({ description: 'Traces that began before.' }),
      dryRun: z
        .boolean()
        .optional()
        .meta({ description: 'Only counts and estimates: the monitor is asked nothing.' }),
    }),
    reply: z.object({
      traces: count().meta({
        description: 'Settled traces of this time: it is asked about all of them.',
      }),
      records: count().meta({
        description:
          'Of these, those that pass its filter and that its rate takes, and that have no record of it yet. Exact but for conditions on spans (`spanName`, `attributes`), which count as met, and for `maxPerHour` and traces without content, which make it fewer.',
      }),
      estimatedUsd: z.number().nullable().meta({
        description:
          'What judges are estimated to cost for `records`: by what they cost on its last day, or else by the prices of their models. Null where a price is not known.',
      }),
    }),
    status: 202,
    example: {
      body: {
        from: '2026-03-01T00:00:00.000Z',
        to: '2026-03-02T00:00:00.000Z',
        dryRun: true,
      },
      reply: { traces: 2000, records: 60, estimatedUsd: 0.12 },
    },
  }),
};
