import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createDice, isWhole, seed } from '../faults/seed.ts';
import { type DocumentedOperation, readApiDocument } from './api-document.ts';
import { fillOrganization } from './client-knowledge.ts';
import {
  type Answer,
  ask,
  describeAnswer,
  describeRequest,
  type GeneratedRequest,
} from './generated-request.ts';
import { callAt, startInstallation } from './installation.ts';
import { createIntruders, type Intruder, intrudersOf } from './intruders.ts';
import { createRequestArbitraries, type Knowledge } from './request-arbitraries.ts';

/**
 * A client that knows the OpenAPI document and the ids of one organization, and sends what the
 * document takes, and what it does not.
 */
const assay = await startInstallation();
const document = await readApiDocument(assay.url);
const { operations } = document;
const intruders = await createIntruders(assay.key, assay.call);
afterAll(() => assay.stop());

// Of fewer valid ones, none may reach what is behind the checks.
const rounds = isWhole ? { valid: 15, broken: 60 } : { valid: 4, broken: volume(8, 4) };
const withoutSuccess = new Set([
  'deleteBrowserSession',
  'createDownload',
  'deleteDeviceLogin',
  'createDeviceKey',
  'importProject',
]);
const timeoutMs = isWhole ? 600_000 : 180_000;

interface Organization {
  bearer: { authorization: string };
  knowledge: Knowledge;
}

interface Issue {
  path: string;
  message: string;
}

async function openOrganization(): Promise<Organization> {
  const { key } = await assay.newOrganization('Generated');
  return {
    bearer: { authorization: `Bearer ${key}` },
    knowledge: await fillOrganization(callAt(assay.url, key)),
  };
}
const shared = once(openOrganization);

/** Fails with the request and its answer. */
function check(
  operation: DocumentedOperation,
  request: GeneratedRequest,
  answer: Answer,
  rule: () => void,
  as = '',
): void {
  try {
    rule();
  } catch (error) {
    const shown = `${describeRequest(operation.method, request)}\n→ ${describeAnswer(answer)}`;
    throw new Error(`${(error as Error).message}\n${as}${shown}`, { cause: error });
  }
}

async function refuse(
  operation: DocumentedOperation,
  request: GeneratedRequest,
  { name, headers, status }: Intruder,
): Promise<void> {
  const answer = await ask(assay.url, operation.method, request, headers);
  const rule = () => {
    // A path that no operation has is answered before the key is looked at.
    if (answer.status !== 404 || JSON.parse(answer.text).details.resource !== undefined)
      expect(answer.status).toBe(status);
    document.checkAnswer(operation, answer);
  };
  check(operation, request, answer, rule, `With ${name}: `);
}

/** The answer is one that the document gives, and a fault is refused, in its place. */
async function send(
  operation: DocumentedOperation,
  request: GeneratedRequest,
  { bearer }: Organization,
): Promise<Answer> {
  const answer = await ask(assay.url, operation.method, request, operation.needsKey ? bearer : {});
  check(operation, request, answer, () => {
    expect(answer.status).toBeLessThan(500);
    document.checkAnswer(operation, answer);
    if (!request.fault)
      return expect(documentedFaults(answer), 'faults that the document does not know').toEqual([]);
    expect(answer.status, 'what the document does not take').toBeGreaterThanOrEqual(400);
    const { place } = request.fault;
    const issues: Issue[] | undefined = JSON.parse(answer.text).details.issues;
    if (issues && place !== undefined)
      expect(
        issues.some(({ path }) => names(path, place)),
        `the issues name ${place}`,
      ).toBe(true);
  });
  return answer;
}

/**
 * What a validator says that knows the shape of a body or a query, and nothing of what there is. No
 * schema can bound bytes.
 */
const byShape =
  /^is required$|^must be an? \w+, but it is |^must have at (least|most) [\d,]+ (?!bytes)|^must be (at least|at most|more than|less than) \d|^must be (one of )?"/;

function documentedFaults({ status, text }: Answer): Issue[] {
  const issues: Issue[] = (status === 400 && JSON.parse(text).details.issues) || [];
  return issues.filter(({ message }) => byShape.test(message));
}

/** Is one of the two places within the other? The body as a whole says nothing of a member. */
const names = (path: string, place: string): boolean =>
  path === place || path.startsWith(`${place}/`) || (path !== '' && place.startsWith(`${path}/`));

const isDone = ({ status }: Answer): boolean => status >= 200 && status < 300;

describe.each(operations.map((operation) => [operation.id, operation] as const))(
  '%s',
  (_id, operation) => {
    const parameters = {
      seed: createDice(operation.id).below(2 ** 31),
      interruptAfterTimeLimit: timeoutMs - 20_000,
      markInterruptAsFailure: true,
      reporter: failShortly,
    };
    // What an operation destroys, the next one would ask for; a signed URL is good for a few
    // minutes; and a member may try few codes of devices in vain.
    const isAlone =
      isDestructive(operation) || !operation.needsKey || operation.path.includes('{userCode}');
    const opened = isAlone ? once(openOrganization) : shared;
    const refused = intrudersOf(operation, intruders);

    test(`[seed ${seed}] valid requests are answered as documented and done, and without a good key refused`, {
      timeout: timeoutMs,
    }, async () => {
      const organization = await opened();
      const { valid, examples } = createRequestArbitraries(
        document,
        organization.knowledge,
      )(operation);
      let done = 0;
      let sent = 0;
      const property = fc.asyncProperty(valid, async (request) => {
        // All of them with the first request, and one with each of the others.
        const tried = isWhole || sent === 0 ? refused : intruderAt(refused, sent);
        for (const intruder of tried) await refuse(operation, request, intruder);
        sent += 1;
        const answer = await send(operation, request, organization);
        if (isDone(answer)) done += 1;
        await followCursor(operation, request, answer, organization);
      });
      await fc.assert(property, {
        ...parameters,
        numRuns: rounds.valid + examples.length - 1,
        examples: examples.map((example) => [example]),
      });
      // One that was removed is documented without a success, a key has no session to end, no device
      // login gave it, a device's code is known to the device alone, and an exported project ends
      // with a hash that no schema knows.
      if (withoutSuccess.has(operation.id)) return;
      if (Object.keys(operation.responses).some((status) => status < '300'))
        expect(done).toBeGreaterThan(0);
    });

    test(`[seed ${seed}] requests that are broken in one place are refused as documented, and without a good key at once`, {
      timeout: timeoutMs,
    }, async () => {
      const organization = await opened();
      const { broken } = createRequestArbitraries(document, organization.knowledge)(operation);
      const property = fc.asyncProperty(broken, fc.nat(), async (request, index) => {
        for (const intruder of intruderAt(refused, index))
          await refuse(operation, request, intruder);
        await send(operation, request, organization);
      });
      await fc.assert(property, { ...parameters, numRuns: rounds.broken });
    });
  },
);

/** One of the intruders, in turn; none where everybody may ask. */
const intruderAt = (intruders: Intruder[], index: number): Intruder[] =>
  intruders.length === 0 ? [] : [intruders[index % intruders.length]!];

/**
 * Fails with the request and its answer, cut, in place of the whole counterexample: a body may have
 * megabytes.
 */
function failShortly<Values>({
  failed,
  seed,
  counterexamplePath,
  errorInstance,
}: fc.RunDetails<Values>): void {
  if (failed)
    throw new Error(
      `${(errorInstance as Error | undefined)?.message} (fast-check: seed ${seed}, path ${counterexamplePath})`,
    );
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function isDestructive({ id, method }: DocumentedOperation): boolean {
  return method === 'DELETE' || id === 'deleteTestcases' || id === 'setBaseline';
}

async function followCursor(
  operation: DocumentedOperation,
  request: GeneratedRequest,
  answer: Answer,
  organization: Organization,
): Promise<void> {
  if (!operation.parameters.some(({ name }) => name === 'cursor') || !isDone(answer)) return;
  const { nextCursor } = JSON.parse(answer.text);
  if (nextCursor === null) return;
  const path = `${request.path}${request.path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(nextCursor)}`;
  expect(isDone(await send(operation, { ...request, path }, organization))).toBe(true);
}

test('the operations that need no key are those of devices and signed URLs, and these refuse every other signature', async () => {
  const open = operations.filter(({ needsKey }) => !needsKey);
  const signed = ['downloadAttachment', 'uploadAttachment'];
  expect(open.map(({ id }) => id).toSorted()).toEqual([
    'createDeviceKey',
    'createDeviceLogin',
    ...signed,
  ]);
  const organization = await openOrganization();
  for (const operation of open.filter(({ id }) => signed.includes(id))) {
    const { valid } = createRequestArbitraries(document, organization.knowledge)(operation);
    const property = fc.asyncProperty(
      valid,
      fc.constantFrom('upload', 'download', 'expires', 'signature'),
      async (request, name) => {
        const url = new URL(request.path, assay.url);
        if (!url.searchParams.has(name)) return;
        url.searchParams.set(
          name,
          url.searchParams.get(name)!.replace(/^./, (first) => (first === '1' ? '2' : '1')),
        );
        const forged = { ...request, path: `${url.pathname}${url.search}` };
        for (const key of [{}, organization.bearer]) {
          const answer = await ask(assay.url, operation.method, forged, key);
          check(operation, forged, answer, () => {
            expect([400, 403, 404]).toContain(answer.status);
            document.checkAnswer(operation, answer);
          });
        }
      },
    );
    await fc.assert(property, {
      seed: createDice(operation.id).below(2 ** 31),
      numRuns: rounds.broken,
    });
  }
});
