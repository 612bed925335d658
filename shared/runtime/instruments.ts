import type { Service } from '@assay/contracts/define';
import type { Bus } from './bus/bus.ts';
import type { Outbox } from './bus/outbox.ts';
import type { Streams } from './bus/streams.ts';
import type { Metrics } from './metrics.ts';
import type { Database } from './mongo/database.ts';

/** Measures a process's way to the others, and the questions that it asks them. */
export function measureBus(bus: Bus, metrics: Metrics): void {
  metrics.gauge('assay_bus_connected', 'Whether the process is connected to NATS: 1 or 0.', () =>
    Number(bus.isConnected()),
  );
  const questions = metrics.seconds(
    'assay_questions_seconds',
    'How long questions to other services took, by question and outcome.',
    ['question', 'outcome'],
  );
  bus.onAsked(({ question, outcome, seconds }) =>
    questions.observe({ question, outcome }, seconds),
  );
}

interface MeasuredService<Contract extends Service> {
  contract: Contract;
  database: Database;
  streams: Streams;
  outbox: Outbox<Contract>;
}

/** Measures all that waits in a service: jobs, events, and commands to its database. */
export function measureService<Contract extends Service>(
  { contract, database, streams, outbox }: MeasuredService<Contract>,
  metrics: Metrics,
): void {
  const jobs = Object.keys(contract.jobs);
  if (jobs.length > 0)
    metrics.gauges(
      'assay_jobs_waiting',
      'Jobs that wait or are being worked on, in all processes of the service.',
      'job',
      () =>
        Promise.all(jobs.map(async (job) => [job, await streams.backlog(contract, job)] as const)),
    );
  const worked = metrics.seconds('assay_job_seconds', 'How long jobs took, by job and outcome.', [
    'job',
    'outcome',
  ]);
  streams.onJob(({ job, outcome, seconds }) => worked.observe({ job, outcome }, seconds));
  const dead = metrics.counter(
    'assay_dead_letters_total',
    'Events and jobs that this process gave up.',
    ['subject_kind'],
  );
  for (const kind of ['event', 'job']) dead.inc({ subject_kind: kind }, 0);
  streams.onDeadLetter((kind) => dead.inc({ subject_kind: kind }));
  metrics.gauge(
    'assay_outbox_oldest_seconds',
    'The age of the oldest event that is not published yet; 0 where there is none.',
    outbox.oldestSeconds,
  );
  metrics.gauge(
    'assay_mongo_pool_waiting',
    'Commands of this process that wait for a connection to MongoDB.',
    database.waitingForConnection,
  );
}
