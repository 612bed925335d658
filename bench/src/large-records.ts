/** Just as large as a body may be. */
const bytes = 15 * 1024 * 1024;

const words =
  'the parcel order customer asks whether refund arrived yesterday because label says warehouse cannot confirm address'.split(
    ' ',
  );

/** Records of 15 MiB as people send them, and as they are the most work to parse. */
export const largeBodies = {
  chat: () =>
    bodyOf('messages', (number) =>
      JSON.stringify({ role: number % 2 === 0 ? 'user' : 'assistant', content: textOf(number) }),
    ),
  'small integers': () => bodyOf('tokens', (number) => String((number * 7919) % 100)),
};

export type LargeBody = keyof typeof largeBodies;

/** A body filled up with elements of one array. */
function bodyOf(name: string, element: (number: number) => string): string {
  const [start, end] = [
    `{"inputs":{"question":"Where?"},"expected":{},"outputs":{"${name}":[`,
    ']}}',
  ];
  const elements: string[] = [];
  let left = bytes - start.length - end.length;
  for (let next = element(0); left > next.length; next = element(elements.length)) {
    elements.push(next);
    left -= next.length + 1;
  }
  return `${start}${elements.join(',')}${end}`;
}

/**
 * Sentences of which hardly two are the same, so that they do not all but vanish when they are
 * compressed.
 */
function textOf(number: number): string {
  let state = number + 1;
  return Array.from({ length: 60 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return words[state % words.length];
  }).join(' ');
}
