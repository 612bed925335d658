import type { Identity, Request } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { runRecords } from '@assay/contracts/run-records';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from '../runs/runs.ts';
import type { Records } from './records.ts';

type Operations = (typeof runRecords)['operations'];
type MonitoredRun = Request<Operations['openMonitoredRun']>['body'];
type TracedRecord = Request<Operations['createTracedRecords']>['body']['records'][number];

/** Records that are made of traces, and the runs that monitors have for them. */
export function createTracedRecords({
  store,
  runs,
  records,
}: Pick<Dependencies, 'store'> & { runs: Runs; records: Records }) {
  return {
    /**
     * A run that is there stays as it is.
     * @throws NOT_FOUND where it was deleted, or has expired.
     */
    async openRun(
      identity: Identity,
      { id, projectId, name, metricIds, budgetUsd }: MonitoredRun,
    ): Promise<Record<never, never>> {
      const { organizationId } = identity;
      const state = await store.runs.stateOf(organizationId, id);
      if (state === 'there') return {};
      if (state === 'hidden') throw notFound('run', id);
      const body = { name, metricIds, budgetUsd, repeats: 1, cache: 'use' as const };
      try {
        await runs.create(identity, projectId, body, { id, source: 'Monitor' });
      } catch (error) {
        // Another process may have opened it meanwhile.
        if ((await store.runs.stateOf(organizationId, id)) !== 'there') throw error;
      }
      return {};
    },

    /** The id of a trace is the `otelLinkId` of its record, of which a run has one. */
    async create(identity: Identity, runId: string, traced: TracedRecord[]) {
      // To its monitor, an expired run is like a deleted one.
      if (!(await store.runs.find(identity.organizationId, runId))) throw notFound('run', runId);
      const created = await Promise.all(
        traced.map(({ traceId, ...body }) =>
          records.create(identity, runId, { ...body, otelLinkId: traceId }, undefined),
        ),
      );
      return {
        records: created.map(({ created, value }) => ({ recordId: value.id, created })),
      };
    },
  };
}
