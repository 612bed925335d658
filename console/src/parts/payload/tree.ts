import { pointerTo } from '../../text/pointer.ts';
import { type JsonNode, memberAt, memberWith } from './scan.ts';

/** Members that a group of a wide container holds. */
export const groupSize = 1000;

/** A row of the tree: a member of an opened container, or a group of members. */
export type TreeRow = { depth: number; branch: Branch } & (
  | { kind: 'member'; index: number; node: JsonNode; key: Range | undefined; isOpen: boolean }
  | { kind: 'group'; group: number; from: number; to: number; isOpen: boolean }
);

interface Range {
  start: number;
  end: number;
}

/** An opened container, with those of its members that are open in turn. */
export interface Branch {
  node: JsonNode;
  offsets: Uint32Array;
  /** Opened members by their index. */
  opened: Map<number, Branch>;
  /** Opened groups, where the members are so many that they are grouped. */
  groups: Set<number>;
  /** Where it is in its own container; undefined for the root. */
  parent: { branch: Branch; index: number } | undefined;
}

export const createBranch = (
  node: JsonNode,
  offsets: Uint32Array,
  parent?: Branch['parent'],
): Branch => ({ node, offsets, opened: new Map(), groups: new Set(), parent });

const isGrouped = ({ offsets }: Branch): boolean => offsets.length > groupSize;
const groupCount = ({ offsets }: Branch): number => Math.ceil(offsets.length / groupSize);

/** How many rows an opened container has, itself not among them. */
export function rowsOf(branch: Branch): number {
  let rows = 0;
  if (isGrouped(branch)) {
    rows += groupCount(branch);
    for (const group of branch.groups) rows += membersIn(branch, group);
    for (const [index, child] of branch.opened)
      if (branch.groups.has(Math.floor(index / groupSize))) rows += rowsOf(child);
    return rows;
  }
  rows += branch.offsets.length;
  for (const child of branch.opened.values()) rows += rowsOf(child);
  return rows;
}

const membersIn = ({ offsets }: Branch, group: number): number =>
  Math.min(groupSize, offsets.length - group * groupSize);

/** Returns the row at a place of an opened container, counted from 0. */
export function rowAt(bytes: Uint8Array, branch: Branch, row: number, depth = 0): TreeRow {
  if (!isGrouped(branch))
    return memberRowAt(bytes, branch, row, { from: 0, to: branch.offsets.length, depth });
  let left = row;
  let group = 0;
  for (const open of [...branch.groups].sort((one, other) => one - other)) {
    if (left <= open - group) break;
    left -= open - group + 1;
    const [from, to] = [open * groupSize, open * groupSize + membersIn(branch, open)];
    const inside = rowsBetween(branch, from, to);
    if (left < inside) return memberRowAt(bytes, branch, left, { from, to, depth: depth + 1 });
    left -= inside;
    group = open + 1;
  }
  const shown = group + left;
  return {
    kind: 'group',
    branch,
    depth,
    group: shown,
    from: shown * groupSize,
    to: shown * groupSize + membersIn(branch, shown) - 1,
    isOpen: branch.groups.has(shown),
  };
}

function rowsBetween(branch: Branch, from: number, to: number): number {
  let rows = to - from;
  for (const [index, child] of branch.opened)
    if (index >= from && index < to) rows += rowsOf(child);
  return rows;
}

function memberRowAt(
  bytes: Uint8Array,
  branch: Branch,
  row: number,
  { from, to, depth }: { from: number; to: number; depth: number },
): TreeRow {
  let left = row;
  let index = from;
  const opened = [...branch.opened]
    .filter(([one]) => one >= from && one < to)
    .sort(([one], [other]) => one - other);
  for (const [open, child] of opened) {
    if (left <= open - index) break;
    left -= open - index + 1;
    const inside = rowsOf(child);
    if (left < inside) return rowAt(bytes, child, left, depth + 1);
    left -= inside;
    index = open + 1;
  }
  const shown = index + left;
  const { key, value } = memberAt(bytes, branch.node, branch.offsets, shown);
  const isOpen = branch.opened.has(shown);
  return { kind: 'member', branch, depth, index: shown, node: value, key, isOpen };
}

/** The row of a member whose containers are all open, counted from 0 in the root. */
export function rowOfMember(branch: Branch, index: number): number {
  const group = Math.floor(index / groupSize);
  let row = isGrouped(branch) ? group + 1 + (index % groupSize) : index;
  if (isGrouped(branch))
    for (const open of branch.groups) if (open < group) row += membersIn(branch, open);
  for (const [other, child] of branch.opened) {
    const isShown = !isGrouped(branch) || branch.groups.has(Math.floor(other / groupSize));
    if (other < index && isShown) row += rowsOf(child);
  }
  if (!branch.parent) return row;
  return row + 1 + rowOfMember(branch.parent.branch, branch.parent.index);
}

/** The index of the member of a container that holds a place in the bytes. */
export const memberHolding = ({ offsets }: Branch, place: number): number =>
  memberWith(offsets, place);

/** The JSON Pointer of a member (RFC 6901). */
export function pointerOf(
  branch: Branch,
  index: number,
  keyAt: (branch: Branch, index: number) => string,
): string {
  const above = branch.parent ? pointerOf(branch.parent.branch, branch.parent.index, keyAt) : '';
  const token = branch.node.kind === 'object' ? keyAt(branch, index) : String(index);
  return pointerTo(above, token);
}
