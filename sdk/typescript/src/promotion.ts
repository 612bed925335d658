import type { Client } from '@assay/client/client';
import { partOfRun } from '@assay/client/part-of-run';
import type { Evaluation, ServerOptions } from './evaluation.ts';
import { AssayError } from './failure.ts';
import type { Note } from './notes.ts';
import type { Preparation } from './preparation.ts';
import { isPart } from './run-part.ts';
import type { Run } from './waiting.ts';

interface Promotion {
  client: Client;
  run: Run;
  options: Pick<ServerOptions, 'promote' | 'setBaseline'>;
  outcome: Evaluation['outcome'];
}

/** @throws AssayError where the run that is asked for could take no place. */
export function checkPromotion(
  { promote, setBaseline }: Promotion['options'],
  { resumed, systemVersionId, own }: Pick<Preparation, 'resumed' | 'systemVersionId' | 'own'>,
): void {
  if (promote && !(resumed ? resumed.systemVersionId : systemVersionId))
    throw new AssayError(
      '`promote` makes a version the production version, and this run has none: give `config`.',
    );
  if (setBaseline && own && isPart(own.choice))
    throw new AssayError(
      '`setBaseline` needs all of the testset, and `testcases` are a part of it: give all of them, or `sync: true`.',
    );
  const part = resumed && partOfRun(resumed);
  if (setBaseline && part !== undefined)
    throw new AssayError(
      `\`setBaseline\` needs all of the testset, and the run to complete is ${part}.`,
    );
}

/**
 * Makes the run the baseline of its testset, and its version the production version, where that is
 * asked for and the result passed. Returns the new state, as notes.
 */
export async function promote({ client, run, options, outcome }: Promotion): Promise<Note[]> {
  const isPassed = outcome === 'passed';
  const texts: string[] = [];
  if (options.setBaseline) texts.push(isPassed ? await setBaseline(client, run) : kept('baseline'));
  if (options.promote)
    texts.push(isPassed ? await promoteVersion(client, run) : kept('production version'));
  return texts.map((text) => ({ text, isMain: true }));
}

const kept = (what: string): string =>
  `The ${what} stays as it was: only a result that passes takes its place.`;

async function setBaseline(client: Client, { id, testsetId }: Run): Promise<string> {
  const { name } = await client.request('PUT', '/testsets/:testsetId/baseline', {
    params: { testsetId: testsetId! },
    body: { runId: id },
  });
  return `The run is the baseline of ${JSON.stringify(name)} now.`;
}

async function promoteVersion(client: Client, run: Run): Promise<string> {
  const { name, productionVersion } = await client.request('PATCH', '/systems/:systemId', {
    params: { systemId: run.systemId! },
    body: { productionVersionId: run.systemVersionId! },
  });
  return `${JSON.stringify(productionVersion.name)} is the production version of ${JSON.stringify(name)} now.`;
}
