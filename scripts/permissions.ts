import { erasingServices } from '@assay/contracts/erasing-services';
import { permissions, publishersFor } from '@assay/contracts/permissions';
import { processNames } from '@assay/local/keys/write-keys';

const introduction = `# What each process may do

The gateway and each service prove who they are: by keys, one for each process that they ask; by a user of MongoDB, with one database; by a user
of NATS, with the subjects of this page ([ADR 81](adr/0081-each-service-is-itself.md)). Whoever takes a process over has these, and so reaches
what its row says. This page is made from \`shared/contracts/permissions.ts\` by \`npm run generate\`, and a test compares the two. Another
walks it with the real credentials of every process ([test](../local/test/process-users.test.ts)).

- **Asks** are the questions that the process may ask on the bus, and **calls** the operations that are for services. It asks and calls for any
  organization and any member: whose work it does is what it says. The gateway alone may call the operations of clients, as any of them.
- **Hears** are the events of others that it reads. It knows the keys that these are signed with; its user of NATS cannot publish them.
- Each service publishes its own events and jobs, answers its own questions, and buries what it gave up as a dead letter.
- A service with a database may also **remove messages** that wait in the streams of events and dead letters, those of others too: so an
  organization is erased, and a full stream makes room. It cannot read them, nor change a stream; identity, which the operator trusts anyhow, may.
- Answers come to a subject of the process that asks. No process can hear those of another.

| process | database | asks | calls | hears |
|---|---|---|---|---|
`;

type Kind = 'asked' | 'called' | 'heard';

const linesOf = (process: string, kind: Kind): string[] =>
  Object.entries(permissions).flatMap(([service, lines]) =>
    Object.entries(lines[kind] as Record<string, readonly string[]>)
      .filter(([, processes]) => processes.includes(process))
      .map(([name]) => `${service}.${name}`),
  );

const cell = (names: string[]): string =>
  names.length === 0 ? '–' : names.map((name) => `\`${name}\``).join(', ');

function rowOf(process: string): string {
  const owns = (erasingServices as readonly string[]).includes(process);
  const asked = [
    ...linesOf(process, 'asked'),
    ...(process === 'identity'
      ? ['<each with a database>.eraseOrganization', '<each with a database>.countOrganization']
      : []),
  ];
  const calls = [
    ...(process === 'gateway' ? ['<each>.<every operation of clients>'] : []),
    ...linesOf(process, 'called'),
  ];
  const jobs = publishersFor(process).length === 0 ? '' : jobsFor(process);
  return `| ${process} | ${owns ? `\`<prefix>_${process}\`` : '–'} | ${cell(asked)} | ${cell(calls)} | ${cell(linesOf(process, 'heard'))}${jobs} |\n`;
}

/** Who publishes jobs that this service works on. */
function jobsFor(process: string): string {
  const published = permissions[process as keyof typeof permissions]?.published ?? {};
  const texts = Object.entries(published as Record<string, readonly string[]>)
    .filter(([, publishers]) => publishers.length > 0)
    .map(([name, publishers]) => `the job \`${name}\` of ${publishers.join(', ')}`);
  return texts.length === 0 ? '' : `; ${texts.join(', ')}`;
}

/** docs/permissions.md: the table of what each process may do. */
export const describePermissions = (): string =>
  `${introduction}${processNames.map(rowOf).join('')}
The process for agents, \`mcp\`, has no key, no bus and no database: it calls the gateway with the key of its caller. The operator's commands have
a secret of their own towards identity, and the operator's users of MongoDB and NATS.
`;
