import { expect, test } from 'vitest';
import { table } from '../table.ts';

test('a table is as wide as its widest cells', () => {
  const columns = [
    { title: 'NAME', align: 'left' as const },
    { title: 'N', align: 'right' as const },
  ];
  expect(
    table({
      columns,
      rows: [
        ['a', '100'],
        ['longer', '7'],
      ],
    }),
  ).toEqual(['NAME      N', 'a       100', 'longer    7']);
});
