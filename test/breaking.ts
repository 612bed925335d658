import type { ContractShapes, OperationShape, Shape } from '../scripts/contract-shapes.ts';

/**
 * A sentence for each thing on which others may have built and which is no longer so.
 * docs/compatibility.md has the rules.
 */
export function breakingChanges(released: ContractShapes, present: ContractShapes): string[] {
  const found: string[] = [];
  // Clients do not know which service serves them.
  const ofClients = Object.values(present).flatMap(({ operations }) =>
    Object.entries(operations).filter(([, { access }]) => access !== 'service'),
  );
  for (const [service, old] of Object.entries(released)) {
    const now = present[service];
    if (!now) {
      found.push(`The service ${service} is gone.`);
      continue;
    }
    eachOf(
      'operation',
      old.operations,
      { ...Object.fromEntries(ofClients), ...now.operations },
      (name, before, after) => found.push(...ofOperation(name, before, after)),
    );
    eachOf('question', old.questions, now.questions, (name, before, after) =>
      found.push(
        ...ofSent(`the question ${name}`, before.payload, after.payload),
        ...ofAnswered(`the reply to ${name}`, before.reply, after.reply),
      ),
    );
    for (const kind of ['events', 'jobs'] as const)
      eachOf(
        kind.slice(0, -1),
        old[kind],
        now[kind],
        (name, { payload: before }, { payload: after }) => {
          const where = `the ${kind.slice(0, -1)} ${name}`;
          found.push(...ofSent(where, before, after), ...ofAnswered(where, before, after));
        },
      );
  }
  return [...new Set(found)];

  function eachOf<Value>(
    kind: string,
    old: Record<string, Value>,
    now: Record<string, Value>,
    compare: (name: string, before: Value, after: Value) => void,
  ): void {
    for (const [name, before] of Object.entries(old)) {
      const after = now[name];
      if (after === undefined) found.push(`The ${kind} ${name} is gone.`);
      else compare(name, before, after);
    }
  }
}

const openness = ['service', 'admin', 'member', 'anyone', 'keyless', 'signature'];

function ofOperation(name: string, before: OperationShape, after: OperationShape): string[] {
  const found: string[] = [];
  const address = ({ method, path }: OperationShape) => `${method} ${path}`;
  if (address(before) !== address(after))
    found.push(`${name} was ${address(before)} and is ${address(after)}.`);
  if (openness.indexOf(after.access) < openness.indexOf(before.access))
    found.push(`${name} was for ${before.access} and is for ${after.access}.`);
  for (const status of after.statuses.filter((each) => !before.statuses.includes(each)))
    found.push(`${name} answers ${status}, which it did not.`);
  if (
    (after.bodyBytesMax ?? Number.POSITIVE_INFINITY) <
    (before.bodyBytesMax ?? Number.POSITIVE_INFINITY)
  )
    found.push(
      `${name} takes bodies of ${after.bodyBytesMax} bytes, where it took ${before.bodyBytesMax ?? 'any number'}.`,
    );
  for (const kind of ['streams', 'replyStreams'] as const)
    for (const type of before[kind] ?? [])
      if (!after[kind]?.includes(type))
        found.push(`${name} no longer has ${type} among its ${kind}.`);
  found.push(...ofSent(`the query of ${name}`, before.query ?? {}, after.query ?? {}));
  found.push(...ofSent(`the body of ${name}`, before.body ?? {}, after.body ?? {}));
  found.push(...ofAnswered(`the reply of ${name}`, before.reply ?? {}, after.reply ?? {}));
  return found;
}

interface Place {
  types: string[];
  isRequired: boolean;
  parent: string;
}

/** Where a place may be missing is no part of its name. */
function placesOf(shape: Shape): Map<string, Place> {
  return new Map(
    Object.entries(shape).map(([path, types]) => {
      const name = path.replaceAll('?', '');
      return [
        name,
        {
          types: types.split('|'),
          isRequired: !path.endsWith('?'),
          parent: name.replace(/(\.[^.[<{]*|\[\]|\{\}|<[^>]*>)$/, ''),
        },
      ];
    }),
  );
}

const isLiteral = (type: string): boolean => type.startsWith('"');

/** All that was taken must be taken, and nothing more be needed. */
function ofSent(where: string, before: Shape, after: Shape): string[] {
  const [old, now] = [placesOf(before), placesOf(after)];
  const gone = [...old].flatMap(([place, { types, isRequired }]) => {
    const found = now.get(place);
    if (!found) return `${place || 'The value'} is gone from ${where}.`;
    const refused = types.filter((type) => !takes(found.types, type));
    return [
      ...(refused.length > 0
        ? [`${place || 'The value'} in ${where} may no longer be ${refused.join(', ')}.`]
        : []),
      ...(found.isRequired && !isRequired ? [`${place} in ${where} has become required.`] : []),
    ];
  });
  const required = [...now].flatMap(([place, { isRequired, parent }]) =>
    isRequired &&
    !old.has(place) &&
    place.startsWith(`${parent}.`) &&
    (old.has(parent) || parent === '')
      ? `${place} is new in ${where}, and required.`
      : [],
  );
  return [...gone, ...required];
}

const takes = (types: string[], type: string): boolean =>
  types.includes(type) ||
  types.includes('any') ||
  (type === 'integer' && types.includes('number')) ||
  (isLiteral(type) && types.includes('string'));

/**
 * All that was there must be there, and be what it was. Another word in a list of words is an
 * addition.
 */
function ofAnswered(where: string, before: Shape, after: Shape): string[] {
  const now = placesOf(after);
  return [...placesOf(before)].flatMap(([place, { types, isRequired }]) => {
    const found = now.get(place);
    if (!found) return `${place || 'The value'} is gone from ${where}.`;
    const added = found.types.filter(
      (type) => !takes(types, type) && !(isLiteral(type) && types.some(isLiteral)),
    );
    return [
      ...(added.length > 0
        ? [`${place || 'The value'} in ${where} may now be ${added.join(', ')}.`]
        : []),
      ...(isRequired && !found.isRequired ? [`${place} in ${where} may now be missing.`] : []),
    ];
  });
}
