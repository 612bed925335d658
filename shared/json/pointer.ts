import { isComposite } from './value.ts';

/** One step of a JSON Pointer (RFC 6901, section 3): `~` and `/` escaped. */
export function escapeSegment(segment: PropertyKey): string {
  return String(segment).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The JSON Pointer of a path; `''` is the whole. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((segment) => `/${escapeSegment(segment)}`).join('');
}

export function isPointer(text: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)*$/.test(text);
}

/** The segments of a JSON Pointer, unescaped; `''` has none. */
export function pointerSegments(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * The value that a JSON Pointer names, or undefined; only own members count, never inherited names.
 */
export function valueAt({ root, pointer }: { root: unknown; pointer: string }): unknown {
  let value = root;
  for (const segment of pointerSegments(pointer)) {
    if (!isComposite(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}
