import type { Identity } from '@assay/contracts/define';
import { invalid } from '@assay/contracts/failure';
import type { MetricConfig } from '@assay/contracts/metrics';
import {
  type AuthorMove,
  type ExportedPart,
  type LineToWrite,
  lineFormat,
  lineSchemas,
  sweptAway,
} from '@assay/contracts/project-file';
import { scaleIssues } from '@assay/contracts/scale';
import { createLineWriter, linesReply } from '@assay/runtime/http/lines';
import { createLineReader } from '@assay/runtime/uploads/line-reader';
import {
  type MetricBody,
  type StoredMetric,
  type StoredVersion,
  scoringOf,
  toConfig,
} from '../metric-definition.ts';
import type { Store, StoredGroup } from '../store.ts';

const { metric, metricVersion, metricGroup } = lineSchemas;
const schemas = { metric, metricVersion, metricGroup };
const write = createLineWriter(schemas);
const read = createLineReader({ schemas, ...lineFormat });

/** Hands out the metrics of a project, and takes those of one that is being imported. */
export function createMetricPart({ store }: { store: Store }) {
  async function* metricsOf(
    { organizationId }: Identity,
    projectId: string,
  ): AsyncGenerator<LineToWrite<'metric'>> {
    for await (const metric of store.parts.listMetrics(organizationId, projectId)) {
      const { id, name, description, versionId, scoring } = metric;
      yield { kind: 'metric', id, name, description, versionId, config: toConfig(scoring) };
    }
  }

  /** Those of deleted metrics too, since runs go on naming them. */
  async function* versionsOf(
    { organizationId }: Identity,
    projectId: string,
  ): AsyncGenerator<LineToWrite<'metricVersion'>> {
    for await (const version of store.parts.listVersions(organizationId, projectId)) {
      const { id, metricId, name, createdByUserId, scoring } = version;
      yield {
        kind: 'metricVersion',
        id,
        metricId,
        name,
        createdByUserId,
        config: toConfig(scoring),
      };
    }
  }

  async function* groupsOf(
    { organizationId }: Identity,
    projectId: string,
  ): AsyncGenerator<LineToWrite<'metricGroup'>> {
    for await (const group of store.parts.listGroups(organizationId, projectId)) {
      const { projectId: _projectId, ...own } = group;
      yield { kind: 'metricGroup', ...own };
    }
  }

  function linesOf(identity: Identity, { kind, of: projectId }: ExportedPart) {
    if (kind === 'metric') return write(metricsOf(identity, projectId));
    if (kind === 'metricVersion') return write(versionsOf(identity, projectId));
    return write(groupsOf(identity, projectId));
  }

  return {
    async exportPart(identity: Identity, part: ExportedPart) {
      return linesReply(linesOf(identity, part));
    },

    async restorePart(
      { organizationId }: Identity,
      projectId: string,
      stream: AsyncIterable<Uint8Array>,
    ) {
      const metrics: StoredMetric[] = [];
      const versions: StoredVersion[] = [];
      const groups: StoredGroup[] = [];
      for await (const line of read(stream)) {
        if (line.kind === 'metric') {
          const { kind: _kind, config, ...metric } = line;
          metrics.push({ ...metric, projectId, scoring: definitionOf(config) });
        } else if (line.kind === 'metricVersion') {
          const { kind: _kind, config, createdByUserId, ...version } = line;
          versions.push({
            ...version,
            projectId,
            scoring: definitionOf(config),
            ...(createdByUserId === undefined ? {} : { createdByUserId }),
          });
        } else {
          const { kind: _kind, ...group } = line;
          groups.push({ ...group, projectId });
        }
      }
      if (!(await store.parts.add(organizationId, projectId, { metrics, versions, groups })))
        throw sweptAway();
      return { lines: metrics.length + versions.length + groups.length };
    },

    async revealPart({ organizationId }: Identity, projectId: string) {
      await store.parts.reveal(organizationId, projectId);
      return {};
    },

    async moveAuthor({ organizationId }: Identity, move: AuthorMove) {
      await store.parts.moveAuthor(organizationId, move);
      return { next: null };
    },
  };
}

/**
 * A config is the part of a creation that scores depend on, with its defaults filled in.
 * @throws VALIDATION_ERROR for a scale that is none, and for a threshold outside of it.
 */
function definitionOf(config: MetricConfig) {
  const definition = scoringOf({ name: '', ...config } as MetricBody, { judgeModel: '' });
  const issues = scaleIssues(definition).map(({ path, message }) => ({
    path: `/config${path}`,
    message,
  }));
  if (issues.length > 0) throw invalid(issues);
  return definition;
}
