import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { countOf, formatBytes, formatCount, visible } from '../../text/format.ts';
import styles from './payload.module.css';
import { type JsonNode, memberAt, stringOf, textOf } from './scan.ts';
import type { Scanner } from './scanner.ts';
import { type Branch, pointerOf, type TreeRow } from './tree.ts';
import { type Tree, useTree } from './use-tree.ts';

/** A value is shown in its row up to this many bytes. */
const shownBytes = 400;
const rowHeight = 24;

interface JsonViewProps {
  bytes: Uint8Array;
  scanner: Scanner;
  label: string;
  /** A place in the bytes that is to be shown: where a text was found. */
  place: number | undefined;
  /** Called with the JSON Pointer of the row that is chosen. */
  choose: (pointer: string, node: JsonNode) => void;
}

/** JSON as a tree of which only the opened parts are read, and only the rows in view are made. */
export function JsonView({ bytes, scanner, label, place, choose }: JsonViewProps) {
  const tree = useTree(bytes, scanner);
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const virtualizer = useVirtualizer({
    count: tree?.rows ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });

  const latest = useRef(tree);
  latest.current = tree;
  const isReady = tree !== undefined;
  useEffect(() => {
    if (place === undefined || !isReady) return;
    void latest.current?.reveal(place).then((row) => {
      setActive(row);
      virtualizer.scrollToIndex(row, { align: 'center' });
    });
  }, [place, isReady, virtualizer]);

  if (!tree)
    return <pre className={styles.raw}>{visible(textOf(bytes, { start: 0, end: 4096 }))}</pre>;
  const goTo = (row: number) => {
    const bounded = Math.max(0, Math.min(row, tree.rows - 1));
    setActive(bounded);
    virtualizer.scrollToIndex(bounded, { align: 'auto' });
  };
  const keyAt = (branch: Branch, index: number) =>
    stringOf(bytes, memberAt(bytes, branch.node, branch.offsets, index).key!).text;
  const chooseRow = (row: TreeRow) => {
    if (row.kind === 'member') choose(pointerOf(row.branch, row.index, keyAt), row.node);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = tree.rows > 0 ? tree.rowAt(active) : undefined;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const act = actionOf(event.key, row);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    if (act === 'choose') chooseRow(row!);
    else if (act === 'toggle') tree.toggle(row!);
    else goTo(act(active, tree.rows));
  };
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label={label}
      aria-activedescendant={tree.rows > 0 ? `${label}-${active}` : undefined}
      tabIndex={0}
      className={styles.tree}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: virtualizer.getTotalSize() }} className={styles.rows}>
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <Row
            key={index}
            id={`${label}-${index}`}
            bytes={bytes}
            tree={tree}
            row={tree.rowAt(index)}
            start={start}
            isActive={index === active}
            activate={() => setActive(index)}
            choose={chooseRow}
          />
        ))}
      </div>
    </div>
  );
}

/** What a key does in the tree: it opens, closes or chooses the row, or leads to another one. */
function actionOf(
  key: string,
  row: TreeRow | undefined,
): 'toggle' | 'choose' | ((row: number, rows: number) => number) | undefined {
  switch (key) {
    case 'ArrowDown':
      return (at) => at + 1;
    case 'ArrowUp':
      return (at) => at - 1;
    case 'Home':
      return () => 0;
    case 'End':
      return (_at, rows) => rows - 1;
    case 'ArrowRight':
      return row && !row.isOpen ? 'toggle' : (at) => at + 1;
    case 'ArrowLeft':
      return row?.isOpen ? 'toggle' : (at) => at - 1;
    case 'Enter':
      return row && (isContainer(row) ? 'toggle' : 'choose');
    default:
      return undefined;
  }
}

const isContainer = (row: TreeRow): boolean =>
  row.kind === 'group' || row.node.kind === 'object' || row.node.kind === 'array';

function Row({
  id,
  bytes,
  tree,
  row,
  start,
  isActive,
  activate,
  choose,
}: {
  id: string;
  bytes: Uint8Array;
  tree: Tree;
  row: TreeRow;
  start: number;
  isActive: boolean;
  activate: () => void;
  choose: (row: TreeRow) => void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: The tree hears the keys.
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={row.depth + 1}
      aria-expanded={isContainer(row) ? row.isOpen : undefined}
      aria-selected={isActive}
      className={`${styles.row} ${isActive ? styles.active : ''}`}
      style={{ transform: `translateY(${start}px)`, paddingInlineStart: 8 + row.depth * 16 }}
      onClick={() => {
        activate();
        if (isContainer(row)) tree.toggle(row);
        choose(row);
      }}
    >
      <span className={styles.arrow} aria-hidden="true">
        {isContainer(row) ? (row.isOpen ? '▾' : '▸') : ''}
      </span>
      {row.kind === 'group' ? (
        <span className={styles.quiet}>
          {formatCount(row.from)} … {formatCount(row.to)}
        </span>
      ) : (
        <>
          <span className={styles.key}>
            {row.key ? visible(stringOf(bytes, row.key, { bytesMax: 200 }).text) : row.index}
          </span>
          <Value bytes={bytes} node={row.node} opened={row.branch.opened.get(row.index)} />
        </>
      )}
    </div>
  );
}

function Value({
  bytes,
  node,
  opened,
}: {
  bytes: Uint8Array;
  node: JsonNode;
  opened: Branch | undefined;
}) {
  const size = node.end - node.start;
  switch (node.kind) {
    case 'object':
    case 'array':
      return (
        <span className={styles.quiet}>
          {opened
            ? countOf(opened.offsets.length, node.kind === 'array' ? 'item' : 'field')
            : visible(oneLine(textOf(bytes, node, 120)))}
          {!opened && size > 120 && ` … ${formatBytes(size)}`}
        </span>
      );
    case 'string': {
      const { text, next } = stringOf(bytes, node, { bytesMax: shownBytes });
      return (
        <span className={styles.string}>
          {visible(oneLine(text))}
          {next !== undefined && <span className={styles.quiet}> … {formatBytes(size)}</span>}
        </span>
      );
    }
    default:
      return <span className={styles.number}>{textOf(bytes, node, shownBytes)}</span>;
  }
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ↵ ');
