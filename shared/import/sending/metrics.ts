import { type Client, listAll, projectPath } from '@assay/client/client';
import type { Project } from '@assay/client/named';
import type { MetricBody, MetricEntity } from '../entity.ts';
import type { ImportedEntity } from './report.ts';

type KnownMetric = MetricBody & { id: string };

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
    ? await listAll<KnownMetric>(client, projectPath(project.id, 'metrics'))
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
          : await client.request<KnownMetric>('POST', projectPath(project.id, 'metrics'), body);
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
  known.outputType === body.outputType &&
  evaluatorOf(known) === evaluatorOf(body);

const evaluatorOf = ({ builtin, code }: MetricBody): string =>
  builtin ? builtin.name : code ? code.language : '';
