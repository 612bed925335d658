import { isObject } from '@assay/json/value';

/**
 * Does a value say anything? `{}`, `[]`, a null, and an object with nothing but these and a role inside say nothing:
 * frameworks send them beside the attribute of another that has the content.
 */
export function hasContent(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && value !== 'null';
  if (Array.isArray(value)) return value.some(hasContent);
  if (isObject(value))
    return Object.entries(value).some(([name, inner]) => name !== 'role' && hasContent(inner));
  return value !== undefined && value !== null;
}
