import { useCallback, useEffect, useState } from 'react';
import { type JsonNode, memberAt, rootOf } from './scan.ts';
import type { Scanner } from './scanner.ts';
import {
  type Branch,
  createBranch,
  groupSize,
  memberHolding,
  rowAt,
  rowOfMember,
  rowsOf,
  type TreeRow,
} from './tree.ts';

/** Containers that are opened at once at the start, while they have no more members than this. */
const openedMembersMax = 40;

export interface Tree {
  root: JsonNode;
  rows: number;
  rowAt: (row: number) => TreeRow;
  toggle: (row: TreeRow) => void;
  /** Opens what holds a place in the bytes, and returns the row of it. */
  reveal: (place: number) => Promise<number>;
}

/**
 * The opened parts of a JSON value. A container is scanned when it is opened, once. Undefined until
 * the root is scanned, and where the root is no container.
 */
export function useTree(bytes: Uint8Array, scanner: Scanner): Tree | undefined {
  const [root, setRoot] = useState<Branch>();
  const [, setChange] = useState(0);
  const changed = useCallback(() => setChange((count) => count + 1), []);

  const branchOf = useCallback(
    async (node: JsonNode, parent?: Branch['parent']): Promise<Branch> => {
      const branch = createBranch(node, await scanner.members(node), parent);
      parent?.branch.opened.set(parent.index, branch);
      return branch;
    },
    [scanner],
  );

  useEffect(() => {
    let isCurrent = true;
    const node = rootOf(bytes);
    if (!isContainer(node)) return setRoot(undefined);
    void (async () => {
      const branch = await branchOf(node);
      if (branch.offsets.length <= openedMembersMax)
        for (const index of branch.offsets.keys()) {
          const { value } = memberAt(bytes, node, branch.offsets, index);
          if (isContainer(value) && value.end - value.start < 4096)
            await branchOf(value, { branch, index });
        }
      if (isCurrent) setRoot(branch);
    })();
    return () => {
      isCurrent = false;
    };
  }, [bytes, branchOf]);

  if (!root) return undefined;
  return {
    root: root.node,
    rows: rowsOf(root),
    rowAt: (row) => rowAt(bytes, root, row),
    toggle: (row) => {
      if (row.kind === 'group') {
        if (!row.branch.groups.delete(row.group)) row.branch.groups.add(row.group);
        changed();
      } else if (row.isOpen) {
        row.branch.opened.delete(row.index);
        changed();
      } else if (isContainer(row.node))
        void branchOf(row.node, { branch: row.branch, index: row.index }).then(changed);
    },
    reveal: async (place) => {
      let branch = root;
      for (;;) {
        const index = memberHolding(branch, place);
        if (branch.offsets.length > groupSize) branch.groups.add(Math.floor(index / groupSize));
        const { value } = memberAt(bytes, branch.node, branch.offsets, index);
        if (!isContainer(value) || place < value.start) {
          changed();
          return rowOfMember(branch, index);
        }
        branch = branch.opened.get(index) ?? (await branchOf(value, { branch, index }));
        if (branch.offsets.length === 0) return rowOfMember(branch.parent!.branch, index);
      }
    },
  };
}

const isContainer = ({ kind }: JsonNode): boolean => kind === 'object' || kind === 'array';
