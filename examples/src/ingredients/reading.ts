/**
 * The parts of a line of a recipe: "2 tbsp olive oil" is { quantity: 2, unit: 'tablespoon', item:
 * 'olive oil' }.
 */
export interface Reading {
  /** null where the line names no amount; the lower end of a range. */
  quantity: number | null;
  /** One of `units`; null where things are counted. */
  unit: Unit | null;
  item: string;
}

export const units = [
  'g',
  'kg',
  'ml',
  'l',
  'teaspoon',
  'tablespoon',
  'cup',
  'pinch',
  'can',
  'clove',
] as const;
export type Unit = (typeof units)[number];
