import type { catalog } from '@assay/contracts/catalog';
import type { Asks, Identity } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { MetricWarning } from '@assay/contracts/metrics';
import { pointerSegments } from '@assay/json/pointer';
import type * as templates from '@assay/prompt-template/check';
import type { Builtin, MetricDefinition } from '../metric-definition.ts';

export type TemplateReading = Pick<
  typeof templates,
  'findUnknownFields' | 'readsRecord' | 'unknownField'
>;

type ProjectFields = NonNullable<
  Awaited<ReturnType<Asks<typeof catalog>['testsetFields']>>['fields']
>;

/** Null where there is no testset, or catalog does not answer: no metric waits for that. */
export async function fieldsOfProject(
  { ask }: { ask: { catalog: Asks<typeof catalog> } },
  identity: Identity,
  projectId: string,
): Promise<ProjectFields | null> {
  try {
    return (await ask.catalog.testsetFields(identity, { projectId })).fields;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/**
 * Warns of a metric that reads nothing of the record, or a field that no testset of its project
 * has: it would score, and say nothing.
 */
export function createRecordWarnings({ reading }: { reading: TemplateReading }) {
  function unknownIn({ judge, builtin }: MetricDefinition, fields: ProjectFields): MetricWarning[] {
    const code = 'unknown_field';
    if (judge)
      return reading
        .findUnknownFields(judge.promptTemplate, fields)
        .map((remark) => ({ code, path: '/promptTemplate', ...remark }));
    const name = builtin && expectedFieldOf(builtin);
    const message =
      typeof name === 'string' ? reading.unknownField('expected', name, fields) : undefined;
    return message === undefined ? [] : [{ code, path: '/builtin/options/expected', message }];
  }

  return async (
    scoring: MetricDefinition,
    /** Asked only where a warning needs it. */
    fieldsOf: () => Promise<ProjectFields | null>,
  ): Promise<MetricWarning[]> => {
    const { judge, builtin } = scoring;
    if (!judge && !builtin) return [];
    if (judge && !reading.readsRecord(judge.promptTemplate)) return [readsNothing];
    const fields = await fieldsOf();
    return fields ? unknownIn(scoring, fields) : [];
  };
}

const readsNothing: MetricWarning = {
  code: 'reads_nothing',
  path: '/promptTemplate',
  message:
    'The prompt reads nothing of the record, so that every record gets the same question: name a part of it, such as {{ outputs.answer }}.',
};

function expectedFieldOf({ optionsText }: Builtin): string | undefined {
  const { expected }: { expected?: unknown } = JSON.parse(optionsText ?? '{}');
  return typeof expected === 'string' ? pointerSegments(expected)[0] : undefined;
}
