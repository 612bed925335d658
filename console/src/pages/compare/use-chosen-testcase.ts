import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useEffect, useState } from 'react';
import type { List } from '../../api/list.ts';

/** Testcases that are shown at first, and that one press adds. */
const shownStep = 20;

/** A list of testcases of which the address names one: it is in view, and keys go to the next. */
export function useChosenTestcase<Item extends { testcaseId: string }>(
  list: List<Item>,
  {
    chosen,
    current,
  }: {
    chosen: string | undefined;
    /** The place of the chosen one on the page. */
    current: RefObject<HTMLElement | null>;
  },
) {
  const navigate = useNavigate({ from: '/projects/$projectId/compare' });
  const [most, setMost] = useState(shownStep);
  const items = Array.from({ length: Math.min(most, list.rows) }, (_, row) =>
    list.itemAt(row),
  ).filter((item) => item !== undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: When another testcase is chosen.
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest' });
    current.current?.focus({ preventScroll: true });
  }, [chosen]);
  const choose = (testcaseId: string) =>
    void navigate({
      search: (all) => ({ ...all, pair: testcaseId }),
      replace: true,
      resetScroll: false,
    });
  return {
    items,
    choose,
    step: (by: number) => () => {
      const index = items.findIndex(({ testcaseId }) => testcaseId === chosen);
      const next = items[index === -1 ? 0 : index + by];
      if (next) choose(next.testcaseId);
    },
    hasMore: (most < list.rows || !list.isComplete) && list.rows > 0,
    showMore: () => {
      setMost(most + shownStep);
      list.show(0, most + shownStep);
    },
  };
}
