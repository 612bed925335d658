import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memberAt, rootOf, scanMembers, stringOf, textOf } from '../src/parts/payload/scan.ts';
import {
  type Branch,
  createBranch,
  groupSize,
  pointerOf,
  rowAt,
  rowOfMember,
  rowsOf,
} from '../src/parts/payload/tree.ts';

function openRoot(value: unknown): { bytes: Uint8Array; root: Branch } {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const node = rootOf(bytes);
  return { bytes, root: createBranch(node, scanMembers(bytes, node)) };
}

function open(bytes: Uint8Array, branch: Branch, index: number): Branch {
  const { value } = memberAt(bytes, branch.node, branch.offsets, index);
  const child = createBranch(value, scanMembers(bytes, value), { branch, index });
  branch.opened.set(index, child);
  return child;
}

function openAll(bytes: Uint8Array, branch: Branch): void {
  for (const index of branch.offsets.keys()) {
    const { value } = memberAt(bytes, branch.node, branch.offsets, index);
    if (value.kind === 'object' || value.kind === 'array')
      openAll(bytes, open(bytes, branch, index));
  }
}

/** The rows that a fully opened value has, in order: each with its depth and pointer. */
function expectedRows(value: unknown, depth = 0, pointer = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const own = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [`${depth} ${own}`, ...expectedRows(member, depth + 1, own)];
  });
}

test('an opened tree has a row for each member, in their order, and finds each by its place', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const parsed = JSON.parse(JSON.stringify([value]));
      const { bytes, root } = openRoot(parsed);
      openAll(bytes, root);
      const keyAt = (branch: Branch, index: number) =>
        stringOf(bytes, memberAt(bytes, branch.node, branch.offsets, index).key!).text;
      const rows = Array.from({ length: rowsOf(root) }, (_, row) => {
        const found = rowAt(bytes, root, row);
        if (found.kind !== 'member') throw new Error('a group in a small container');
        expect(rowOfMember(found.branch, found.index)).toBe(row);
        return `${found.depth} ${pointerOf(found.branch, found.index, keyAt)}`;
      });
      expect(rows).toEqual(expectedRows(parsed));
    }),
  );
});

test('a wide container is shown in groups, each of which opens by itself', () => {
  const count = 2 * groupSize + 5;
  const { bytes, root } = openRoot(Array.from({ length: count }, (_, index) => [index]));
  expect(rowsOf(root)).toBe(3);
  root.groups.add(1);
  expect(rowsOf(root)).toBe(3 + groupSize);
  open(bytes, root, groupSize + 2);
  expect(rowsOf(root)).toBe(3 + groupSize + 1);
  const texts = [0, 1, 2, 4, 5, 6, 3 + groupSize].map((row) => {
    const found = rowAt(bytes, root, row);
    return found.kind === 'group'
      ? `${found.from}–${found.to}`
      : `${found.depth}: ${textOf(bytes, found.node)}`;
  });
  expect(texts).toEqual([
    '0–999',
    '1000–1999',
    '1: [1000]',
    '1: [1002]',
    '2: 1002',
    '1: [1003]',
    '2000–2004',
  ]);
  expect(rowOfMember(root, groupSize + 3)).toBe(6);
});
