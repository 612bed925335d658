import type { Client } from '@assay/client/client';
import type { BodyOf } from '@assay/client/operations';
import type { Comparison } from './figures.ts';

type Body = BodyOf<'POST', '/comparisons'>;

export interface ComparisonQuestion extends Omit<Body, 'calibrateWith'> {
  /** The human metric that corrects judges; else people's scores of the judged metric do. */
  humanMetricId?: string | undefined;
}

/** The body of a comparison in which people's scores correct the judges, wherever it is shown. */
export const comparisonBody = ({ humanMetricId, ...question }: ComparisonQuestion): Body => ({
  ...question,
  calibrateWith: humanMetricId ? { humanMetricId } : 'people',
});

/** Compares two runs. @throws RequestFailure */
export const compareRuns = (client: Client, question: ComparisonQuestion): Promise<Comparison> =>
  client.request('POST', '/comparisons', { body: comparisonBody(question) });
