import { expect, test } from 'vitest';
import { type Column, table } from '../table.ts';

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

test('a table that is too wide is cut in the columns that can shrink', () => {
  const columns: Column[] = [
    { title: 'ID', align: 'left' },
    { title: 'NAME', align: 'left', canShrink: true },
  ];
  expect(table({ columns, rows: [['0123456789', 'a name that is long']], widthMax: 24 })).toEqual([
    'ID          NAME',
    '0123456789  a name that…',
  ]);
});
