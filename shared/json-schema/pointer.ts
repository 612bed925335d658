/** One step of a JSON Pointer (RFC 6901, section 3): `~` and `/` escaped. */
export function escapeSegment(segment: string | number): string {
  return String(segment).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The segments of a JSON Pointer, unescaped; `''` has none. */
export function pointerSegments(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value that a JSON Pointer names, or undefined; only own members count, never inherited names. */
export function valueAt({ root, pointer }: { root: unknown; pointer: string }): unknown {
  let value = root;
  for (const segment of pointerSegments(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets an own member whatever its name: a plain assignment to `__proto__` would set the prototype. */
export function setOwn({ target, key, value }: { target: object; key: string; value: unknown }): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
