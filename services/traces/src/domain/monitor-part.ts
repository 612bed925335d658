import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import {
  type AuthorMove,
  type ExportedPart,
  type Line,
  type LineToWrite,
  lineFormat,
  lineSchemas,
  sweptAway,
} from '@assay/contracts/project-file';
import { createLineWriter, linesReply } from '@assay/runtime/http/lines';
import { createLineReader } from '@assay/runtime/uploads/line-reader';
import type { StoredMonitor } from '../store.ts';
import type { Dependencies } from './dependencies.ts';

const { monitor } = lineSchemas;
const write = createLineWriter({ monitor });
const read = createLineReader({ schemas: { monitor }, ...lineFormat });

/**
 * Hands out the monitors of a project, and takes those of one that is being imported. Their counts
 * and runs stay, and so do traces.
 */
export function createMonitorPart({ store }: Pick<Dependencies, 'store'>) {
  async function* monitorsOf(
    { organizationId }: Identity,
    projectId: string,
  ): AsyncGenerator<LineToWrite<'monitor'>> {
    for await (const monitor of store.monitorParts.list(organizationId, projectId))
      yield lineOf(monitor);
  }

  return {
    async exportPart(identity: Identity, { of: projectId }: ExportedPart) {
      return linesReply(write(monitorsOf(identity, projectId)));
    },

    async restorePart(
      { organizationId }: Identity,
      projectId: string,
      stream: AsyncIterable<Uint8Array>,
    ) {
      const monitors: StoredMonitor[] = [];
      for await (const line of read(stream)) monitors.push(toMonitor(projectId, line));
      const outcome = await store.monitorParts.add(organizationId, projectId, monitors);
      if (outcome === 'gone') throw sweptAway();
      if (outcome === 'taken')
        throw invalidAt('/description', 'is the description of another monitor of the project');
      return { lines: monitors.length };
    },

    async revealPart({ organizationId }: Identity, projectId: string) {
      await store.monitorParts.reveal(organizationId, projectId);
      return {};
    },

    async moveAuthor({ organizationId }: Identity, move: AuthorMove) {
      await store.monitorParts.moveAuthor(organizationId, move);
      return { next: null };
    },
  };
}

const lineOf = ({
  projectId: _projectId,
  problem: _problem,
  createdAt,
  ...monitor
}: StoredMonitor): LineToWrite<'monitor'> => ({
  kind: 'monitor',
  ...monitor,
  createdAt: createdAt.toISOString(),
});

/** No judge is asked, and paid, because a project was imported: a monitor is paused. */
const toMonitor = (
  projectId: string,
  { kind: _kind, createdAt, ...monitor }: Line<'monitor'>,
): StoredMonitor => ({
  ...monitor,
  metricIds: [...new Set(monitor.metricIds)],
  projectId,
  createdAt: new Date(createdAt),
  isPaused: true,
  problem: null,
});
