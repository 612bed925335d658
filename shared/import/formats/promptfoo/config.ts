import { isObject } from '@assay/json/value';
import type { Fields, MetricBody } from '../../entity.ts';
import type { Item, Reading } from '../../item.ts';
import { defined, fieldsOf, listAt, objectAt, textAt, valueAt } from '../../reading/json-values.ts';
import { readYaml } from '../../reading/yaml.ts';
import { type SourceFile, stemOf } from '../../source.ts';
import { metricOfAssertion } from './assertions.ts';
import { expectationsOf, nameAssertions } from './results.ts';

/** The testcases, metrics and systems of a `promptfooconfig.yaml`. */
export async function* configItems(
  file: SourceFile,
  { options, lose }: Reading,
): AsyncGenerator<Item> {
  const config = await readYaml(file, lose);
  const place = { file: file.name };
  const testset = {
    name: options.name ?? textAt(config, 'description') ?? stemOf(file.name),
    id: file.name,
  };
  yield { place, testset };
  const shared = valueAt(config, 'defaultTest');
  if (typeof shared === 'string' || typeof valueAt(config, 'tests') === 'string')
    lose(place, 'Tests in other files are not read: import those files too.');
  const tests = listAt(config, 'tests');
  const assertions: CountedAssertions = new Map();
  for (const [index, test] of tests.entries()) {
    const at = { ...place, at: `/tests/${index}` };
    if (!isObject(test)) {
      lose(at, 'Tests in other files are not read: import those files too.');
      continue;
    }
    const asserted = [...listAt(shared, 'assert'), ...listAt(test, 'assert')].flatMap(flatten);
    count(assertions, asserted);
    yield {
      place: at,
      testset,
      testcase: {
        key: String(index),
        inputs: { ...objectAt(shared, 'vars'), ...fieldsOf(test.vars, 'input') },
        expected: expectationsOf(asserted),
        metadata: defined({
          description: textAt(test, 'description'),
          ...objectAt(test, 'metadata'),
        }),
      },
    };
  }
  if (tests.length === 0) count(assertions, listAt(shared, 'assert').flatMap(flatten));
  yield { place, metrics: metricsOf(assertions, tests.length, place, lose) };
  yield* systemsOf(config, place);
}

/** An `assert-set` is its assertions. */
const flatten = (assertion: unknown): Fields[] =>
  isObject(assertion)
    ? assertion.type === 'assert-set'
      ? listAt(assertion, 'assert').flatMap(flatten)
      : [assertion]
    : [];

type CountedAssertions = Map<string, { assertion: Fields; tests: number }>;

/** Assertions of one name are one metric, whatever each compares with. */
function count(counted: CountedAssertions, assertions: Fields[]): void {
  for (const [name, assertion] of nameAssertions(assertions)) {
    const known = counted.get(name);
    if (known) known.tests += 1;
    else counted.set(name, { assertion, tests: 1 });
  }
}

function metricsOf(
  assertions: CountedAssertions,
  tests: number,
  place: { file: string },
  lose: Reading['lose'],
): MetricBody[] {
  return [...assertions].flatMap(([name, { assertion, tests: having }]) => {
    const { body, loss } = metricOfAssertion(name, assertion, having < tests);
    if (loss) lose(place, loss);
    return body ? [body] : [];
  });
}

/** One version of a system for each provider and prompt. */
function* systemsOf(config: unknown, place: { file: string }): Generator<Item> {
  const prompts = listAt(config, 'prompts').map(
    (prompt) =>
      textAt(prompt, 'raw') ?? textAt(prompt, 'id') ?? (typeof prompt === 'string' ? prompt : ''),
  );
  const single = textAt(config, 'prompts');
  for (const provider of [valueAt(config, 'providers') ?? []].flat()) {
    const id = typeof provider === 'string' ? provider : textAt(provider, 'id');
    if (id === undefined) continue;
    for (const prompt of single === undefined ? (prompts.length > 0 ? prompts : ['']) : [single])
      yield {
        place,
        system: {
          name: textAt(provider, 'label') ?? id,
          config: defined({ provider: id, prompt, ...objectAt(provider, 'config') }),
        },
      };
  }
}
