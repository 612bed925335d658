import type { Client } from '@assay/client/client';
import { concurrently } from '../concurrently.ts';
import { awaitScores } from '../scoring.ts';
import { type LabelledRecord, readLabelledRecords } from './labelled-records.ts';

/** A record that the judge scored in another way than the label. */
export interface Disagreement {
  record: LabelledRecord;
  judge: boolean | number;
  reasoning: string | null;
}

/** How far one ready-made judge agrees with the labels. */
export interface JudgeAgreement {
  template: string;
  records: number;
  /** Records that the judge could not score, by the reason. */
  failures: string[];
  agreed: number;
  /** Cohen's kappa, with quadratic weights for grades; null where it cannot be computed. */
  kappa: number | null;
  disagreements: Disagreement[];
}

const inFlightMax = 8;

/**
 * Has ready-made judges score records whose scores are known, in a project of their own, where the
 * labels then stand as people's scores. One after the other, so that the first failure of a provider
 * ends it.
 * @throws a sentence that says what to set, where the model cannot be asked.
 */
export async function measureJudges({
  client,
  model,
  templates,
  projectName,
  onAgreement,
}: {
  client: Client;
  /** Undefined: the default of the installation. */
  model: string | undefined;
  templates: readonly string[];
  projectName: string;
  onAgreement: (agreement: JudgeAgreement) => void;
}): Promise<{ projectId: string }> {
  const { id: projectId } = await client.request('POST', '/projects', {
    body: {
      name: projectName,
      description: 'Ready-made judges, and labelled records on which they can be seen at work.',
    },
  });
  try {
    for (const template of templates)
      onAgreement(await measureJudge({ client, projectId, model, template }));
  } catch (error) {
    if (error instanceof NoProvider)
      await client.request('DELETE', '/projects/:projectId', { params: { projectId } });
    throw error;
  }
  return { projectId };
}

class NoProvider extends Error {}

async function measureJudge({
  client,
  projectId,
  model,
  template,
}: {
  client: Client;
  projectId: string;
  model: string | undefined;
  template: string;
}): Promise<JudgeAgreement> {
  const records = await readLabelledRecords(template);
  const metric = await client.request('POST', '/projects/:projectId/metrics/adopt', {
    params: { projectId },
    body: { template, ...(model !== undefined && { evalModelName: model }) },
  });
  const run = await client.request('POST', '/projects/:projectId/runs', {
    params: { projectId },
    body: { name: metric.name, metricIds: [metric.id] },
  });
  const labelled = new Map<string, LabelledRecord>();
  const executed = concurrently({
    items: records,
    inFlightMax,
    work: async (record) => {
      const { inputs, expected, outputs } = record;
      const body = { inputs, expected, outputs };
      const { id } = await client.request('POST', '/runs/:runId/records', {
        params: { runId: run.id },
        body,
      });
      labelled.set(id, record);
    },
  });
  await awaitScores({ client, runIds: [run.id], executed, onProgress: () => undefined });
  const failed = await failuresOf(client, run.id);
  await concurrently({
    items: [...labelled].filter(([recordId]) => !failed.has(recordId)),
    inFlightMax,
    work: async ([recordId, { label, why }]) => {
      const value = metric.outputType === 'boolean' ? { binaryScore: label } : { intScore: label };
      await client.request('PUT', '/records/:recordId/scores/:metricConfigId', {
        params: { recordId, metricConfigId: run.metricVersionIds[0]! },
        body: { score: { ...value, reasoning: why } },
      });
    },
  });
  const { agreement, disagreements } = await client.request(
    'GET',
    '/metrics/:metricId/reliability',
    { params: { metricId: metric.id }, query: { runId: run.id } },
  );
  return {
    template,
    records: records.length,
    failures: [...new Set(failed.values())],
    agreed: records.length - failed.size - disagreements.length,
    kappa: agreement.value,
    disagreements: disagreements.map(({ recordId, judge, reasoning }) => ({
      record: labelled.get(recordId)!,
      judge,
      reasoning,
    })),
  };
}

/** The reason of each record that has no score. */
async function failuresOf(client: Client, runId: string): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  const failures = client.list('/runs/:runId/failures', { params: { runId } });
  for await (const { recordId, code, message } of failures) {
    if (code === 'no_provider') throw new NoProvider(message);
    failed.set(recordId, message);
  }
  return failed;
}
