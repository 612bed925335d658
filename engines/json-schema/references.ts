import { escapeSegment, pointerSegments, valueAt } from '@assay/json/pointer';
import { isObject } from '@assay/json/value';
import { childPointer, children } from './structure.ts';

// A base that no schema can name, so that relative identifiers resolve among themselves and nothing
// else does.
const noBase = 'assay-schema://document/';

/**
 * Where every identifier of a schema stands: resources by address, anchors by address with
 * fragment; and the base address of each place.
 */
export interface Index {
  resources: Map<string, string>;
  anchors: Map<string, string>;
  bases: Map<string, string>;
}

export function indexOf(schema: unknown): Index {
  const index: Index = { resources: new Map([[noBase, '']]), anchors: new Map(), bases: new Map() };
  note({ index, schema, pointer: '', base: noBase });
  return index;
}

function note({
  index,
  schema,
  pointer,
  base,
}: {
  index: Index;
  schema: unknown;
  pointer: string;
  base: string;
}): void {
  if (!isObject(schema)) return;
  const own = noteIdentifier({ index, $id: schema.$id, pointer, base });
  index.bases.set(pointer, own);
  for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
    if (typeof anchor === 'string') index.anchors.set(`${own}#${anchor}`, pointer);
  }
  for (const child of children(schema))
    note({ index, schema: child.value, pointer: childPointer({ pointer, child }), base: own });
}

// In drafts 4 to 7, an identifier that is only a fragment is the anchor of later drafts.
function noteIdentifier({
  index,
  $id,
  pointer,
  base,
}: {
  index: Index;
  $id: unknown;
  pointer: string;
  base: string;
}): string {
  const address = typeof $id === 'string' ? splitAddress({ reference: $id, base }) : undefined;
  if (address === undefined) return base;
  if (address.fragment !== '')
    index.anchors.set(`${address.resource}#${address.fragment}`, pointer);
  if (typeof $id === 'string' && $id.startsWith('#')) return base;
  index.resources.set(address.resource, pointer);
  return address.resource;
}

export type Resolution = { pointer: string } | { problem: string };

/** The place that a `$ref` at `from` names, or a sentence that says why it names none. */
export function resolve({
  index,
  schema,
  reference,
  from,
}: {
  index: Index;
  schema: unknown;
  reference: string;
  from: string;
}): Resolution {
  const address = splitAddress({ reference, base: index.bases.get(from) ?? noBase });
  const resource = address === undefined ? undefined : index.resources.get(address.resource);
  if (address === undefined || resource === undefined) {
    return {
      problem: `refers to "${reference}", which is outside this schema. Only references inside the schema are allowed.`,
    };
  }
  const pointer = within({ index, resource, address });
  const target = pointer === undefined ? undefined : valueAt({ root: schema, pointer });
  if (pointer !== undefined && (isObject(target) || typeof target === 'boolean'))
    return { pointer };
  return { problem: `refers to "${reference}", but there is no schema at that place.` };
}

interface Address {
  resource: string;
  fragment: string;
}

function within({
  index,
  resource,
  address,
}: {
  index: Index;
  resource: string;
  address: Address;
}): string | undefined {
  if (address.fragment === '') return resource;
  if (!address.fragment.startsWith('/'))
    return index.anchors.get(`${address.resource}#${address.fragment}`);
  return [resource, ...pointerSegments(address.fragment).map(escapeSegment)].join('/');
}

function splitAddress({
  reference,
  base,
}: {
  reference: string;
  base: string;
}): Address | undefined {
  try {
    const address = new URL(reference, base);
    const fragment = decodeURIComponent(address.hash.slice(1));
    address.hash = '';
    return { resource: address.href, fragment };
  } catch {
    return undefined;
  }
}

/**
 * How many schemas are applied at most when every reference is unfolded once; a reference back to
 * where it is counts as one.
 */
export function expansion({ edges, root }: { edges: Map<string, string[]>; root: string }): number {
  const known = new Map<string, number>();
  const measure = (pointer: string): number => {
    const before = known.get(pointer);
    if (before !== undefined) return before;
    known.set(pointer, 1);
    const total = (edges.get(pointer) ?? []).reduce((sum, next) => sum + measure(next), 1);
    known.set(pointer, total);
    return total;
  };
  return measure(root);
}
