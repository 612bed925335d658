import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { contracts } from '@assay/contracts/all';
import { erasingServices } from '@assay/contracts/erasing-services';
import { erasureOf } from '@assay/contracts/erasure';
import { mayAsk, mayPublish, permissions } from '@assay/contracts/permissions';
import { inboxOf } from '@assay/runtime/bus/connection';
import { jobQueuesOf, jobStream } from '@assay/runtime/bus/job-queues';
import { walksOf } from '@assay/runtime/bus/organization-messages';
import { deadStreamOf, eventConsumerOf, eventsStreamOf } from '@assay/runtime/bus/stream-names';
import { subjectOf } from '@assay/runtime/bus/subjects';
import type { Credentials } from '@assay/runtime/keys';
import type { Roots } from './roots.ts';
import { userOf } from './users.ts';
import { databaseOwners, processNames } from './write-keys.ts';

/** The subjects that a user of NATS may publish and subscribe to, with wildcards. */
export interface NatsRights {
  publish: string[];
  subscribe: string[];
}

const api = '$JS.API';
const acknowledgements = '$JS.ACK';

/** Makes and repairs the streams that all services share: identity has the operator's trust anyhow. */
const streamKeeper = 'identity';

/**
 * The rights of a process: the questions that it asks and answers, the events that it publishes and
 * hears, the jobs that it publishes and works on, as the contracts and `permissions` name them. The
 * rights at a stream that all share are told in docs/permissions.md.
 */
export function natsRightsOf(process: string, prefix: string): NatsRights {
  const asked = contracts.flatMap(({ name: service, questions }) => {
    const names = [...Object.keys(questions), ...erasureQuestionsOf(service)];
    return names
      .filter((name) => mayAsk(process, service, name))
      .map((name) => subjectOf(prefix, 'question', service, name));
  });
  const heard = heardBy(process).map(({ service, event }) =>
    subjectOf(prefix, 'event', service, event),
  );
  return {
    publish: [`${api}.INFO`, inboxOf('>'), ...asked, ...streamRights(process, prefix)],
    subscribe: [
      `${inboxOf(process)}.>`,
      ...(process === 'gateway' ? [] : [`${prefix}.question.${process}.>`]),
      ...heard,
    ],
  };
}

const erasureQuestionsOf = (service: string): string[] =>
  (erasingServices as readonly string[]).includes(service)
    ? Object.keys(erasureOf(service).questions)
    : [];

interface HeardEvent {
  service: string;
  event: string;
}

const heardBy = (process: string): HeardEvent[] =>
  Object.entries(permissions).flatMap(([service, { heard }]) =>
    Object.entries(heard as Record<string, readonly string[]>)
      .filter(([, hearers]) => hearers.includes(process))
      .map(([event]) => ({ service, event })),
  );

/** Of a process that owns a database, and so publishes and consumes. */
function streamRights(process: string, prefix: string): string[] {
  if (!databaseOwners.includes(process)) return [];
  const [events, dead] = [eventsStreamOf(prefix), deadStreamOf(prefix)];
  return [
    subjectOf(prefix, 'event', process, '>'),
    ...[events, dead].flatMap((stream) => [
      `${api}.STREAM.INFO.${stream}`,
      `${api}.STREAM.CREATE.${stream}`,
      `${api}.STREAM.MSG.DELETE.${stream}`,
      ...(process === streamKeeper ? [`${api}.STREAM.UPDATE.${stream}`] : []),
    ]),
    // A full stream gives up the events that every consumer has acknowledged.
    `${api}.CONSUMER.LIST.${events}`,
    `${api}.STREAM.PURGE.${events}`,
    ...heardBy(process).flatMap(({ service, event }) => [
      ...consumerRights({
        stream: events,
        durable: eventConsumerOf(process, { service, event }),
        subject: subjectOf(prefix, 'event', service, event),
      }),
      subjectOf(prefix, 'dead', 'event', `${service}.${event}`),
    ]),
    ...walksOf(process, prefix).flatMap(({ stream, subject, names }) =>
      names.flatMap((durable) => consumerRights({ stream, durable, subject })),
    ),
    ...jobRights(process, prefix),
  ];
}

const consumerRights = ({
  stream,
  durable,
  subject,
}: {
  stream: string;
  durable: string;
  subject: string;
}): string[] => [
  `${api}.CONSUMER.CREATE.${stream}.${durable}.${subject}`,
  `${api}.CONSUMER.INFO.${stream}.${durable}`,
  `${api}.CONSUMER.MSG.NEXT.${stream}.${durable}`,
  `${api}.CONSUMER.DELETE.${stream}.${durable}`,
  `${acknowledgements}.${stream}.${durable}.>`,
];

/** Its own jobs it publishes and works on; those of another it may publish, and count. */
function jobRights(process: string, prefix: string): string[] {
  return contracts.flatMap((contract) =>
    Object.keys(contract.jobs)
      .filter((name) => mayPublish(process, { kind: 'job', service: contract.name, name }))
      .flatMap((name) => {
        const stream = jobStream(prefix, contract.name, name);
        const subject = subjectOf(prefix, 'job', contract.name, name);
        const queues = jobQueuesOf(prefix, contract, name);
        const published = [
          subject,
          `${subject}.*`,
          `${api}.STREAM.INFO.${stream}`,
          `${api}.STREAM.CREATE.${stream}`,
          ...queues.map(({ durable }) => `${api}.CONSUMER.INFO.${stream}.${durable}`),
        ];
        if (process !== contract.name) return published;
        return [
          ...published,
          `${api}.STREAM.UPDATE.${stream}`,
          `${api}.STREAM.MSG.GET.${stream}`,
          `${api}.STREAM.MSG.DELETE.${stream}`,
          ...queues.flatMap(consumerRights),
          subjectOf(prefix, 'dead', 'job', `${process}.${name}`),
          subjectOf(prefix, 'dead', 'job', `${process}.${name}.*`),
        ];
      }),
  );
}

/**
 * The block `authorization` of nats-server's configuration: the operator's user, who may do
 * everything, and one for each process. It has only settings that nats-server 2.9.10 knows.
 */
export function natsAuthorization({
  prefix,
  operator,
  roots,
}: {
  prefix: string;
  operator: Credentials;
  roots: Roots;
}): string {
  const users = processNames.map((process) =>
    userText(userOf(roots, 'nats', process), natsRightsOf(process, prefix)),
  );
  return `authorization {
  users: [
    ${[userText(operator), ...users].join('\n    ')}
  ]
}
`;
}

/** The same with the operator's user alone. */
export const operatorAuthorization = (operator: Credentials): string =>
  `authorization ${userText(operator)}\n`;

/** Without rights that are stated, a user may do everything. */
function userText({ user, password }: Credentials, rights?: NatsRights): string {
  const allow = (subjects: string[]) => JSON.stringify({ allow: [...new Set(subjects)] });
  const permissions = rights
    ? `, permissions: { publish: ${allow(rights.publish)}, subscribe: ${allow(rights.subscribe)} }`
    : '';
  return `{ user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)}${permissions} }`;
}

/**
 * Writes the block to a file for nats-server. It has all passwords: its owner alone may read it,
 * unless it goes to a volume of containers, where nats-server runs as another user.
 */
export async function writeNatsAuthorization(
  file: string,
  {
    prefix,
    roots,
    password,
    isForContainers,
  }: { prefix: string; roots: Roots; password: string; isForContainers: boolean },
): Promise<void> {
  const text = natsAuthorization({ prefix, operator: { user: 'assay', password }, roots });
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, text, { mode: isForContainers ? 0o644 : 0o600 });
  await rename(`${file}.new`, file);
}
