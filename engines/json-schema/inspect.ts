import { escapeSegment, valueAt } from '@assay/json/pointer';
import { isObject } from '@assay/json/value';
import { type Dialect, dialectOf } from './dialect.ts';
import { schemaLimits } from './limits.ts';
import { measurePattern } from './pattern.ts';
import type { SchemaProblem } from './problem.ts';
import { expansion, type Index, indexOf, resolve } from './references.ts';
import { childPointer, children } from './structure.ts';

type CountedPart =
  | 'subschemas'
  | 'properties'
  | 'references'
  | 'enumEntries'
  | 'patterns'
  | 'patternInstructions';

interface Inspection {
  schema: unknown;
  dialect: Dialect;
  index: Index;
  problems: SchemaProblem[];
  counts: Record<CountedPart, number>;
  edges: Map<string, string[]>;
  references: { pointer: string; keyword: string; reference: string }[];
  targets: Map<string, string>;
  isDynamic: boolean;
}

/**
 * Returns the problems of a schema beyond its meta-schema: references, patterns, dialects within,
 * and the caps of `schemaLimits`. `targets` maps the place of each schema that has a `$ref` to the
 * place that it points to; undefined when `$dynamicRef` or `$recursiveRef` must be left to ajv.
 */
export function inspect({ schema, dialect }: { schema: unknown; dialect: Dialect }): {
  problems: SchemaProblem[];
  targets: Map<string, string> | undefined;
} {
  const inspection: Inspection = {
    schema,
    dialect,
    index: indexOf(schema),
    problems: [],
    counts: {
      subschemas: 0,
      properties: 0,
      references: 0,
      enumEntries: 0,
      patterns: 0,
      patternInstructions: 0,
    },
    edges: new Map(),
    references: [],
    targets: new Map(),
    isDynamic: false,
  };
  visit({ inspection, value: schema, pointer: '' });
  followReferences(inspection);
  checkCounts(inspection);
  return {
    problems: inspection.problems,
    targets: inspection.isDynamic ? undefined : inspection.targets,
  };
}

interface Place {
  inspection: Inspection;
  value: unknown;
  pointer: string;
}

function visit({ inspection, value, pointer }: Place): void {
  const { counts, edges } = inspection;
  if (edges.has(pointer)) return;
  const next: string[] = [];
  edges.set(pointer, next);
  counts.subschemas++;
  if (!isObject(value)) return;
  checkOwn({ inspection, value, pointer });
  for (const child of children(value)) {
    if (!child.known) continue;
    const inner = childPointer({ pointer, child });
    if (!['$defs', 'definitions'].includes(child.keyword)) next.push(inner);
    visit({ inspection, value: child.value, pointer: inner });
  }
}

type SchemaPlace = Place & { value: Record<string, unknown> };

function checkOwn(place: SchemaPlace): void {
  checkDialect(place);
  checkNames(place);
  checkPatterns(place);
  noteReferences(place);
  const { counts } = place.inspection;
  const { enum: values, required } = place.value;
  if (Array.isArray(values)) counts.enumEntries += values.length;
  if (Array.isArray(required)) counts.properties += required.length;
}

function checkDialect({ inspection, value, pointer }: SchemaPlace): void {
  if (
    pointer === '' ||
    !Object.hasOwn(value, '$schema') ||
    dialectOf(value.$schema) === inspection.dialect
  )
    return;
  inspection.problems.push({
    path: `${pointer}/$schema`,
    message: '"$schema" inside a schema must name the same dialect as the whole.',
  });
}

// ajv percent-encodes names, which half a surrogate pair cannot be; and it passes over dependents
// of a field called `__proto__`.
function checkNames({ inspection, value, pointer }: SchemaPlace): void {
  for (const keyword of [
    'properties',
    'dependentSchemas',
    'dependentRequired',
    'dependencies',
    'patternProperties',
    '$defs',
    'definitions',
  ]) {
    const map = value[keyword];
    if (!isObject(map)) continue;
    for (const name of Object.keys(map)) {
      if (keyword.startsWith('depend') || keyword === 'properties')
        countProperty({ inspection, value: map[name] });
      const message = nameProblem({ keyword, name });
      if (message !== undefined)
        inspection.problems.push({ path: `${pointer}/${keyword}/${escapeSegment(name)}`, message });
    }
  }
}

function countProperty({ inspection, value }: { inspection: Inspection; value: unknown }): void {
  inspection.counts.properties += Array.isArray(value) ? value.length : 1;
}

function nameProblem({ keyword, name }: { keyword: string; name: string }): string | undefined {
  if (/\p{Surrogate}/u.test(name))
    return 'The name is not valid Unicode: it has half of a surrogate pair.';
  if (name === '__proto__' && keyword.startsWith('depend'))
    return `A field named "__proto__" cannot be used in "${keyword}".`;
  return undefined;
}

function checkPatterns({ inspection, value, pointer }: SchemaPlace): void {
  const sources: [string, string][] = [];
  if (typeof value.pattern === 'string') sources.push([`${pointer}/pattern`, value.pattern]);
  if (isObject(value.patternProperties)) {
    for (const source of Object.keys(value.patternProperties))
      sources.push([`${pointer}/patternProperties/${escapeSegment(source)}`, source]);
  }
  for (const [path, source] of sources) {
    inspection.counts.patterns++;
    const { patterns, patternInstructions } = inspection.counts;
    if (
      patterns > schemaLimits.patternsMax ||
      patternInstructions > schemaLimits.patternInstructionsMax
    )
      return;
    checkPattern({ inspection, path, source });
  }
}

function checkPattern({
  inspection,
  path,
  source,
}: {
  inspection: Inspection;
  path: string;
  source: string;
}): void {
  const { problems, counts } = inspection;
  if (source.length > schemaLimits.patternLengthMax) {
    problems.push({
      path,
      message: `The pattern has ${source.length} characters; at most ${schemaLimits.patternLengthMax} are allowed.`,
    });
    return;
  }
  const measured = measurePattern(source);
  if ('instructions' in measured) counts.patternInstructions += measured.instructions;
  else
    problems.push({
      path,
      message: `The pattern is not one that RE2 can match: ${measured.refusal}.`,
    });
}

function noteReferences({ inspection, value, pointer }: SchemaPlace): void {
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const reference = value[keyword];
    if (typeof reference !== 'string') continue;
    inspection.counts.references++;
    inspection.references.push({ pointer, keyword, reference });
    if (keyword !== '$ref') inspection.isDynamic = true;
  }
}

// The list grows while it is walked: a place that only a reference makes a schema is visited then.
function followReferences(inspection: Inspection): void {
  const { index, schema, edges, targets, problems } = inspection;
  for (const { pointer, keyword, reference } of inspection.references) {
    const found = resolve({ index, schema, reference, from: pointer });
    if ('problem' in found) {
      problems.push({ path: `${pointer}/${keyword}`, message: `"${keyword}" ${found.problem}` });
      continue;
    }
    if (keyword === '$ref') targets.set(pointer, found.pointer);
    visit({
      inspection,
      value: valueAt({ root: schema, pointer: found.pointer }),
      pointer: found.pointer,
    });
    edges.get(pointer)?.push(found.pointer);
  }
}

function checkCounts({ counts, edges, problems }: Inspection): void {
  const sentences: [number, number, string][] = [
    [counts.subschemas, schemaLimits.subschemasMax, 'subschemas'],
    [counts.properties, schemaLimits.propertiesMax, 'property names'],
    [counts.references, schemaLimits.referencesMax, 'references'],
    [counts.enumEntries, schemaLimits.enumEntriesMax, '"enum" values'],
    [counts.patterns, schemaLimits.patternsMax, 'patterns'],
    [
      counts.patternInstructions,
      schemaLimits.patternInstructionsMax,
      'instructions in its patterns',
    ],
  ];
  for (const [count, most, what] of sentences) {
    if (count > most)
      problems.unshift({
        path: '',
        message: `The schema has ${count} ${what}; at most ${most} are allowed.`,
      });
  }
  if (problems.length > 0 || expansion({ edges, root: '' }) <= schemaLimits.expansionMax) return;
  const message = `The schema's references multiply to more than ${schemaLimits.expansionMax} schemas; it would take too long to check.`;
  problems.push({ path: '', message });
}
