import { z } from 'zod';
import { list, operation, question, service } from './define.ts';
import { exampleIds } from './examples.ts';
import { description, id, name, success } from './fields.ts';
import { namesQuestion } from './names.ts';
import { payload } from './payload.ts';
import { partExport, partRestore, partReveal } from './project-file/operations.ts';

const config = payload('Whatever makes this version what it is: model, prompt, parameters.');
const exampleConfig = { model: 'small-1', temperature: 0.2, prompt: 'Answer in one sentence.' };
const exampleVersion = {
  id: exampleIds.systemVersion,
  systemId: exampleIds.system,
  name: 'Version 1',
  config: exampleConfig,
};

export const systemVersion = z.object({ id: id(), systemId: id(), name: name(), config }).meta({
  id: 'SystemVersion',
  description: 'One configuration of a system, immutable but for its name.',
  examples: [exampleVersion],
});

export const system = z
  .object({
    id: id(),
    name: name(),
    description: description(),
    productionVersion: systemVersion,
    versions: z
      .array(z.object({ id: id(), name: name() }))
      .meta({ description: 'All of its versions.' }),
  })
  .meta({
    id: 'System',
    description: 'A system under test.',
    examples: [
      {
        id: exampleIds.system,
        name: 'Support bot',
        description: 'Answers customers',
        productionVersion: exampleVersion,
        versions: [{ id: exampleIds.systemVersion, name: 'Version 1' }],
      },
    ],
  });

const configBytesMax = 1024 * 1024;

export const systems = service({
  name: 'systems',
  summary: 'Systems under test and their immutable versions',
  operations: {
    upsertSystem: operation({
      method: 'POST',
      path: '/projects/:projectId/systems',
      summary: "Create a system, or update the project's system of that name",
      body: z.object({
        config,
        name: name().default('Default system'),
        description: description().optional(),
      }),
      bodyBytesMax: configBytesMax,
      reply: system,
      status: 201,
      statusWhenThere: 200,
      example: { body: { name: 'Support bot', config: exampleConfig } },
    }),
    listSystems: list({
      path: '/projects/:projectId/systems',
      summary: 'List the systems of a project, oldest first',
      item: system,
    }),
    getSystem: operation({
      method: 'GET',
      path: '/systems/:systemId',
      summary: 'Get a system',
      reply: system,
      status: 200,
    }),
    updateSystem: operation({
      method: 'PATCH',
      path: '/systems/:systemId',
      summary: "Update a system's name, description or production version",
      body: z
        .object({
          name: name(),
          description: description(),
          productionVersionId: z.string().max(256),
        })
        .partial(),
      reply: system,
      status: 200,
      failures: ['CONFLICT'],
      example: { body: { productionVersionId: exampleIds.systemVersion } },
    }),
    deleteSystem: operation({
      method: 'DELETE',
      path: '/systems/:systemId',
      summary: 'Delete a system; its versions can still be read',
      reply: success,
      status: 200,
    }),
    upsertSystemVersion: operation({
      method: 'POST',
      path: '/systems/:systemId/versions',
      summary: 'Get or create the version with this config, and name it if a name is given',
      body: z.object({ config, name: name().optional() }),
      bodyBytesMax: configBytesMax,
      reply: systemVersion,
      status: 200,
      failures: ['CONFLICT'],
      example: { body: { config: exampleConfig } },
    }),
    getSystemVersion: operation({
      method: 'GET',
      path: '/systems/versions/:systemVersionId',
      summary: 'Get a version of a system',
      reply: systemVersion,
      status: 200,
    }),
    simulateAgent: operation({
      method: 'POST',
      path: '/agents/:systemVersionId/simulate',
      summary: 'Removed: answers 410',
      params: {
        systemVersionId: z.string().meta({ description: 'The id of the system version.' }),
      },
      status: 200,
      failures: ['GONE'],
    }),
    exportSystemsPart: partExport('systems'),
    restoreSystemsPart: partRestore('systems'),
    revealSystemsPart: partReveal('systems'),
  },
  questions: {
    systemVersion: question({
      summary: 'A system version with its project',
      payload: z.object({ systemVersionId: z.string() }),
      reply: z.discriminatedUnion('outcome', [
        z.object({ outcome: z.literal('missing') }),
        z.object({
          outcome: z.literal('found'),
          systemId: z.string(),
          projectId: z.string(),
          name: z.string(),
        }),
      ]),
    }),
    names: namesQuestion,
    forgetProject: question({
      summary: 'Delete everything in a deleted project before answering',
      payload: z.object({ projectId: z.string() }),
      reply: z.object({}),
    }),
  },
});
