import { createRandom, type Random } from '../random.ts';
import type { Reading } from './reading.ts';

export const topics = {
  'metric weight': 'easy',
  'whole cups and spoons': 'easy',
  'counted things': 'easy',
  'decimal point': 'easy',
  abbreviation: 'medium',
  'number and unit together': 'medium',
  'simple fraction': 'medium',
  'mixed number': 'medium',
  preparation: 'medium',
  package: 'medium',
  range: 'medium',
  'fraction sign': 'hard',
  'number word': 'hard',
  'decimal comma': 'hard',
  thousands: 'hard',
  'no amount': 'hard',
} as const;
export type Topic = keyof typeof topics;

/** A line as a cook wrote it, and its correct reading: one testcase's data. */
export interface IngredientLine extends Reading {
  line: string;
  topic: Topic;
  difficulty: (typeof topics)[Topic];
}

const linesPerTopic = 15;

/**
 * 240 lines, 15 a topic, no two alike; always the same ones for the same seed. Topics take turns, so
 * that the first lines are as mixed as all of them: a preview of a metric looks at the first.
 */
export function generateLines({ seed }: { seed: number }): IngredientLine[] {
  const random = createRandom(seed);
  const byTopic = (Object.keys(topics) as Topic[]).map((topic) => linesOf(topic, random));
  return Array.from({ length: linesPerTopic }, (_, turn) =>
    byTopic.map((lines) => lines[turn]!),
  ).flat();
}

function linesOf(topic: Topic, random: Random): IngredientLine[] {
  const lineByText = new Map<string, IngredientLine>();
  while (lineByText.size < linesPerTopic) {
    const written = write[topic](random);
    lineByText.set(written.line, { ...written, topic, difficulty: topics[topic] });
  }
  return [...lineByText.values()];
}

const dry = [
  'flour',
  'brown sugar',
  'basmati rice',
  'rolled oats',
  'red lentils',
  'grated cheddar',
  'bread crumbs',
  'ground almonds',
];
const wet = [
  'milk',
  'water',
  'double cream',
  'olive oil',
  'vegetable stock',
  'coconut milk',
  'plain yoghurt',
];
const spices = [
  'salt',
  'ground cumin',
  'smoked paprika',
  'baking powder',
  'vanilla extract',
  'dried oregano',
  'soy sauce',
];
const counted = [
  'eggs',
  'onions',
  'carrots',
  'lemons',
  'apples',
  'large tomatoes',
  'red peppers',
  'spring onions',
];
const canned = ['chopped tomatoes', 'chickpeas', 'coconut milk', 'kidney beans', 'sweetcorn'];
const seasonings = [
  'salt',
  'black pepper',
  'lemon juice',
  'chilli flakes',
  'grated nutmeg',
  'fresh parsley',
  'flaky sea salt',
  'hot sauce',
];
const preparations = [
  'finely chopped',
  'peeled and diced',
  'cut into wedges',
  'at room temperature',
  'thinly sliced',
];
const fractions = [
  { text: '1/2', sign: '½', value: 1 / 2 },
  { text: '1/3', sign: '⅓', value: 1 / 3 },
  { text: '2/3', sign: '⅔', value: 2 / 3 },
  { text: '1/4', sign: '¼', value: 1 / 4 },
  { text: '3/4', sign: '¾', value: 3 / 4 },
];
const numberWords = ['one', 'two', 'three', 'four', 'five', 'six'];

type WrittenLine = Reading & { line: string };
type Amount = Omit<Reading, 'item'>;

/** One line of each topic, by chance. */
const write: Record<Topic, (random: Random) => WrittenLine> = {
  'metric weight': (random) => {
    const quantity = random.integer(2, 30) * 25;
    return written(`${quantity} g`, { quantity, unit: 'g' }, random.pick(dry));
  },
  'whole cups and spoons': (random) => {
    const quantity = random.integer(2, 5);
    const [unit, items] = random.pick([['cup', dry] as const, ['tablespoon', wet] as const]);
    return written(`${quantity} ${unit}s`, { quantity, unit }, random.pick(items));
  },
  'counted things': (random) => things(random.integer(2, 9), random.pick(counted)),
  'decimal point': (random) => {
    const quantity = tenths(random);
    return written(`${quantity} kg`, { quantity, unit: 'kg' }, random.pick(dry));
  },
  abbreviation: (random) => {
    const quantity = random.integer(1, 4);
    const [word, unit] = random.pick([
      ['tbsp', 'tablespoon'] as const,
      ['tsp', 'teaspoon'] as const,
      ['T', 'tablespoon'] as const,
    ]);
    return written(`${quantity} ${word}`, { quantity, unit }, random.pick(spices));
  },
  'number and unit together': (random) => {
    const quantity = random.integer(2, 30) * 25;
    return written(`${quantity}ml`, { quantity, unit: 'ml' }, random.pick(wet));
  },
  'simple fraction': (random) => {
    const { text, value } = random.pick(fractions);
    return written(`${text} cup`, { quantity: value, unit: 'cup' }, random.pick(wet));
  },
  'mixed number': (random) => {
    const { text, value } = random.pick(fractions);
    const whole = random.integer(1, 3);
    return written(
      `${whole} ${text} cups`,
      { quantity: whole + value, unit: 'cup' },
      random.pick(dry),
    );
  },
  preparation: (random) => {
    const { line, ...reading } = things(random.integer(2, 6), random.pick(counted));
    return { line: `${line}, ${random.pick(preparations)}`, ...reading };
  },
  package: (random) => {
    const quantity = random.integer(1, 3);
    const word = quantity === 1 ? 'can' : 'cans';
    return written(
      `${quantity} ${word} (${random.pick([200, 400, 800])} g)`,
      { quantity, unit: 'can' },
      random.pick(canned),
    );
  },
  range: (random) => {
    const quantity = random.integer(2, 5);
    const high = quantity + random.integer(1, 2);
    return written(
      `${quantity}${random.pick(['-', '-', ' to '])}${high}`,
      { quantity, unit: null },
      random.pick(counted),
    );
  },
  'fraction sign': (random) => {
    const { sign, value } = random.pick(fractions);
    const whole = random.integer(0, 2);
    const text = whole === 0 ? `${sign} cup` : `${whole}${sign} cups`;
    return written(text, { quantity: whole + value, unit: 'cup' }, random.pick(dry));
  },
  'number word': (random) => {
    const quantity = random.integer(2, 6);
    const form = random.pick(['cups', 'pinch', 'dozen']);
    if (form === 'pinch')
      return written('a pinch of', { quantity: 1, unit: 'pinch' }, random.pick(spices));
    if (form === 'dozen')
      return written('a dozen', { quantity: 12, unit: null }, random.pick(counted));
    return written(
      `${numberWords[quantity - 1]} cups`,
      { quantity, unit: 'cup' },
      random.pick(dry),
    );
  },
  'decimal comma': (random) => {
    const quantity = tenths(random);
    return written(
      `${String(quantity).replace('.', ',')} kg`,
      { quantity, unit: 'kg' },
      random.pick(dry),
    );
  },
  thousands: (random) => {
    const quantity = random.integer(10, 29) * 100;
    return written(
      `${quantity.toLocaleString('en-US')} g`,
      { quantity, unit: 'g' },
      random.pick(dry),
    );
  },
  'no amount': (random) => {
    const item = random.pick(seasonings);
    return {
      line: `${item} ${random.pick(['to taste', 'for serving', 'as needed'])}`,
      quantity: null,
      unit: null,
      item,
    };
  },
};

const written = (before: string, amount: Amount, item: string): WrittenLine => ({
  line: `${before} ${item}`,
  ...amount,
  item,
});

const things = (quantity: number, item: string): WrittenLine =>
  written(String(quantity), { quantity, unit: null }, item);

/** From 1.1 to 2.9, never a whole number. */
const tenths = (random: Random): number => random.integer(1, 2) + random.integer(1, 9) / 10;
