import type { ReviewWish } from './use-review-start.ts';

/** How many records are reviewed. */
export type Amount = 'all' | 'share' | 'count';

/** The choices of metrics that are no metric's id. */
export const all = 'all';
export const created = 'new';

/** The fields of the form. */
export function wishOf(
  form: FormData,
  {
    runId,
    metric,
    amount,
    annotators,
    recordIds,
  }: {
    runId: string;
    /** Its id, or one of the two choices above. */
    metric: string;
    amount: Amount;
    /** As many people as the metric itself asks for. */
    annotators: number;
    recordIds: string[] | undefined;
  },
): ReviewWish {
  const by = `${form.get('by')}`;
  const perRecord = by === 'metric' ? annotators : Number(by);
  const number = Number(form.get('amount') ?? 0);
  return {
    runId,
    metric:
      metric === all
        ? all
        : metric !== created
          ? { id: metric }
          : {
              created: {
                name: `${form.get('name')}`.trim(),
                guidelines: `${form.get('guidelines')}`,
                outputType: form.get('outputType') === 'int' ? 'int' : 'boolean',
                annotators: perRecord,
              },
            },
    recordIds,
    userIds: form.getAll('member').map(String),
    perRecord,
    size:
      amount === 'all'
        ? { share: 1 }
        : amount === 'share'
          ? { share: number / 100 }
          : { count: number },
  };
}
