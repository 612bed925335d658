import { JsonText } from '@assay/contracts/payload';
import { withMember } from '@assay/json/members';
import { isObject } from '@assay/json/value';

/** The body of a metric as JSON text, with the options of its evaluator as they were sent. */
export function metricText(body: Record<string, unknown>): string {
  const { builtin } = body;
  if (!isObject(builtin) || !(builtin.options instanceof JsonText)) return JSON.stringify(body);
  const { options, ...others } = builtin;
  return withMember(
    JSON.stringify(body),
    'builtin',
    withMember(JSON.stringify(others), 'options', options.toString()),
  );
}
