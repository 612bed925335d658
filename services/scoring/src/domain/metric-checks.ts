import type { Identity } from '@assay/contracts/define';
import { Failure, invalidAt } from '@assay/contracts/failure';
import type { MetricVersion } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import type { Dependencies } from './dependencies.ts';
import { metricText } from './metric-text.ts';

export interface CheckBody {
  metricId?: string | undefined;
  recordId?: string | undefined;
  /** In place of a stored one. */
  record?: Payloads | undefined;
  [field: string]: unknown;
}

type Payloads = Record<'inputs' | 'expected' | 'outputs', JsonText>;

/**
 * Checks a metric while it is written, and shows the prompt that a judge would be sent (contract
 * section 4). Nothing is kept, and no judge is asked.
 */
export function createMetricChecks({
  ask,
  runRecords,
  renderQuestion,
  clientSignal,
}: Pick<Dependencies, 'ask' | 'runRecords' | 'renderQuestion' | 'clientSignal'>) {
  async function recordOf(identity: Identity, projectId: string, recordId: string) {
    try {
      const wanted = { recordId };
      const { records } = await runRecords.readForTrial(identity, { projectId, wanted });
      return records[0]!;
    } catch (error) {
      throw error instanceof Failure && error.code === 'NOT_FOUND'
        ? invalidAt('/recordId', 'does not belong to this project')
        : error;
    }
  }

  /** The prompt; or why there is none, which depends on the record and is no fault of the metric. */
  async function promptOf(
    { organizationId }: Identity,
    metric: MetricVersion,
    { inputs, expected, outputs }: Payloads,
  ) {
    const rendered = await renderQuestion({
      organizationId,
      metric,
      inputs,
      expected,
      outputs,
      signal: clientSignal(),
    });
    if (rendered.ok) return { renderedPrompt: rendered, faults: [] };
    const { ok: _, ...fault } = rendered;
    return { faults: [{ path: '/promptTemplate', ...fault }] };
  }

  return {
    async check(
      identity: Identity,
      projectId: string,
      { metricId, recordId, record: sent, ...body }: CheckBody,
    ) {
      const { issues, warnings, version } = await ask.metrics.checkedVersion(identity, {
        projectId,
        metricId: metricId ?? null,
        body: metricText(body),
      });
      if (!version?.judge) return { issues, warnings };
      const record = recordId === undefined ? sent : await recordOf(identity, projectId, recordId);
      if (!record) return { issues, warnings };
      const { renderedPrompt, faults } = await promptOf(identity, version, record);
      return { issues, warnings: [...warnings, ...faults], renderedPrompt };
    },
  };
}
