import { type ComponentType, use, useEffect, useState } from 'react';
import { visible } from '../../text/format.ts';
import { tokenBelow } from '../../text/pointer.ts';
import { readableJson } from '../../text/readable-json.ts';
import { ChosenText, pieceBytes } from './long-text.tsx';
import { PassagesContext } from './passages.ts';
import styles from './payload.module.css';
import { type JsonNode, type Member, memberAt, textOf } from './scan.ts';
import type { Scanner } from './scanner.ts';

/** Fields and entries of a list that are shown at first. */
export const shownMembers = 50;

/** A value of a payload that is shown for reading. */
export interface Reading {
  bytes: Uint8Array;
  scanner: Scanner;
  node: JsonNode;
  /** Leads to the node; undefined where a name in it is too long to be kept. */
  pointer: string | undefined;
}

/** Shows any value; given to the parts that hold values, which it is made of. */
export type ValueView = ComponentType<Reading>;

/** The first members of a container, and whether there are more; undefined until it is scanned. */
export function useMembers({ bytes, scanner, node }: Reading, shown: number) {
  const [found, setFound] = useState<{ members: Member[]; hasMore: boolean }>();
  useEffect(() => {
    if (node.kind !== 'object' && node.kind !== 'array') return;
    let isCurrent = true;
    void scanner.members(node, shown + 1).then((offsets) => {
      const count = Math.min(offsets.length, shown);
      const members = Array.from({ length: count }, (_, index) =>
        memberAt(bytes, node, offsets, index),
      );
      if (isCurrent) setFound({ members, hasMore: offsets.length > shown });
    });
    return () => {
      isCurrent = false;
    };
  }, [bytes, scanner, node, shown]);
  return found;
}

/** The string of a chosen passage that is below a node, but not in a part that is shown as text. */
export function NotShown({
  isShown,
  ...reading
}: Reading & { isShown?: (token: string) => boolean }) {
  const chosen = use(PassagesContext)?.chosen;
  const { pointer } = reading;
  if (!chosen || pointer === undefined) return null;
  const token = tokenBelow(pointer, chosen.pointer);
  if (token === undefined || isShown?.(token)) return null;
  return <ChosenText bytes={reading.bytes} scanner={reading.scanner} />;
}

export const AsJson = (reading: Reading) => (
  <>
    <ShortJson {...reading} />
    <NotShown {...reading} />
  </>
);

/** A value as indented JSON; the beginning of a large one. */
export function ShortJson({ bytes, node }: Pick<Reading, 'bytes' | 'node'>) {
  const text = textOf(bytes, node, pieceBytes);
  const isCut = node.end - node.start > pieceBytes;
  return <pre className={styles.raw}>{visible(isCut ? `${text} …` : readableJson(text))}</pre>;
}
