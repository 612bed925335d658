import { type Client, listAll } from '@assay/client/client';
import type { Project } from '@assay/client/named';
import type { BodyOf, ItemOf } from '@assay/client/operations';
import { isSameScale } from '@assay/contracts/scale';
import type { MetricBody, MetricEntity } from '../entity.ts';
import type { ImportedEntity } from './report.ts';

type KnownMetric = ItemOf<'/projects/:projectId/metrics'>;

/** The metrics of an import: those of the project that are alike, and new ones. */
export async function createMetrics({
  client,
  project,
  dryRun,
}: {
  client: Client;
  project: Project | undefined;
  dryRun: boolean;
}) {
  const known = project
    ? await listAll(client, '/projects/:projectId/metrics', { params: { projectId: project.id } })
    : [];
  const ids = new Map<string, string>();
  const report: ImportedEntity[] = [];

  return {
    report,
    idOf: (ref: string): string | undefined => ids.get(ref),
    async add({ ref, body }: MetricEntity): Promise<void> {
      const { name } = body;
      const own = known.findLast((metric) => isAlike(metric, body));
      const made =
        own || dryRun || !project
          ? own
          : await client.request('POST', '/projects/:projectId/metrics', {
              params: { projectId: project.id },
              body: body as BodyOf<'POST', '/projects/:projectId/metrics'>,
            });
      report.push({ id: made?.id ?? null, name, isNew: !own });
      if (made) ids.set(ref, made.id);
    },
  };
}

/**
 * A metric of the same name that scores in another way is another one: imported answers would be
 * scored again by it.
 */
const isAlike = (known: KnownMetric, body: MetricBody): boolean =>
  known.name === body.name &&
  known.evalType === body.evalType &&
  isSameScale(known, body) &&
  evaluatorOf(known) === evaluatorOf(body);

function evaluatorOf(metric: KnownMetric | MetricBody): string {
  const { builtin, code } = metric as MetricBody;
  return builtin ? builtin.name : code ? code.language : '';
}
