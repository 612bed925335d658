import { pointerSegments } from '@assay/json/pointer';
import type { JudgeTemplate } from './template.ts';

/**
 * The Jinja template of a judge that reads its fields at `pointers`, by their names. A line for each
 * field comes first, so that an owner changes where it stands in one place.
 */
export function promptTemplateOf(
  { prompt }: JudgeTemplate,
  pointers: Record<string, string>,
): string {
  const lines = Object.entries(pointers).map(
    ([field, pointer]) => `{% set ${field} = ${expressionOf(pointer)} -%}\n`,
  );
  return `${lines.join('')}\n${prompt}`;
}

/** `inputs.question` for `/inputs/question`, `outputs.steps[0]["the text"]` for any other name. */
function expressionOf(pointer: string): string {
  const [part, ...segments] = pointerSegments(pointer);
  return part! + segments.map(accessTo).join('');
}

function accessTo(segment: string): string {
  if (/^[A-Za-z_]\w*$/.test(segment)) return `.${segment}`;
  // An array has numbers only, and an object takes a number for the name that it is written as.
  if (/^(0|[1-9]\d{0,8})$/.test(segment)) return `[${segment}]`;
  return `["${segment.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"]`;
}
