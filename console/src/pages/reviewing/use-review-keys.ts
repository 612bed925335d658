import { type RefObject, useEffect, useState } from 'react';
import { areSingleKeysOn, useShortcuts } from '../../parts/shortcuts.ts';
import type { ReviewItem } from './calls.ts';
import { choicesOf } from './metric-form.tsx';
import type { Review, ReviewState } from './review.ts';

interface Keys {
  /** The metric that the keys are meant for. */
  active: number;
  setActive: (index: number) => void;
  /** Leads to the metric before or after the one that is active; false where there is none. */
  stepMetric: (by: 1 | -1) => boolean;
  give: (index: number, value: string) => void;
}

/** The keys of a review. The focus goes to the first metric, and to an invalid value. */
export function useReviewKeys(
  screen: RefObject<HTMLElement | null>,
  {
    review,
    state,
    shown,
    isAdvancing,
    leave,
    toggleExpected,
    tag,
  }: {
    review: Review<ReviewItem>;
    state: ReviewState<ReviewItem>;
    shown: ReviewItem | undefined;
    /** One key gives the value and saves, where that is all there is to give. */
    isAdvancing: boolean;
    leave: () => void;
    toggleExpected: () => void;
    tag: () => void;
  },
): Keys {
  const [active, setActive] = useState(0);
  const { fault } = state;
  const metrics = shown?.metrics ?? [];

  const metricAt = (index: number): HTMLElement | undefined =>
    [...(screen.current?.querySelectorAll<HTMLElement>('[data-metric]') ?? [])][index];
  const focusAt = (index: number): boolean => {
    const place = metricAt(index);
    if (!place) return false;
    place.focus();
    place.scrollIntoView({ block: 'nearest' });
    setActive(index);
    return true;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: When another record is shown.
  useEffect(() => void focusAt(0), [shown?.id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: When something else is wrong.
  useEffect(() => {
    const index = metrics.findIndex(
      ({ metricVersionId }) => metricVersionId === fault?.metricVersionId,
    );
    if (focusAt(index)) metricAt(index)?.querySelector<HTMLElement>('[data-number]')?.focus();
  }, [fault]);

  const give = (index: number, value: string) => {
    const metric = metrics[index];
    if (!shown || !metric) return;
    review.edit(shown, metric, { value });
    if (isAdvancing && metrics.length === 1 && metric.outputType === 'boolean') review.save();
  };
  const giveChoice = (number: number) => (event: KeyboardEvent) => {
    const metric = metrics[active];
    if (!metric || event.repeat) return;
    const choices = choicesOf(metric);
    if (choices.length === 0) {
      metricAt(active)?.querySelector<HTMLElement>('[data-number]')?.focus();
      return false;
    }
    const choice = choices[number - 1];
    if (choice) give(active, choice.value);
  };
  const save = (event: KeyboardEvent) => {
    if (!event.repeat) saveOrGoOn({ review, state, shown });
  };
  const stepMetric = (by: 1 | -1) => focusAt(active + by);
  const stepByArrow =
    (by: 1 | -1) =>
    ({ target }: KeyboardEvent) =>
      (target instanceof Element && target.closest('[data-given]')) || metrics.length < 2
        ? false
        : void stepMetric(by);
  const stepByTab = ({ target, shiftKey }: KeyboardEvent) =>
    areSingleKeysOn() && target instanceof Element && target.closest('[data-metric]')
      ? stepMetric(shiftKey ? -1 : 1)
      : false;
  const click = (selector: string) => () =>
    screen.current?.querySelector<HTMLElement>(selector)?.click();

  useShortcuts({
    value1: giveChoice(1),
    value2: giveChoice(2),
    value3: giveChoice(3),
    value4: giveChoice(4),
    value5: giveChoice(5),
    tabMetric: stepByTab,
    nextMetric: stepByArrow(1),
    previousMetric: stepByArrow(-1),
    reason: () => metricAt(active)?.querySelector<HTMLElement>('[data-reason]')?.focus(),
    save,
    saveAnywhere: save,
    skip: () => review.step(1),
    goBack: () => review.step(-1),
    putOff: review.putOff,
    undo: review.undo,
    tag: shown ? tag : () => undefined,
    expected: toggleExpected,
    find: click('[data-outputs] [data-find]'),
    up: leave,
  });
  return { active, setActive, stepMetric, give };
}

/** Saves the shown record; one that somebody else has taken is left. */
export function saveOrGoOn({
  review,
  state,
  shown,
}: {
  review: Review<ReviewItem>;
  state: ReviewState<ReviewItem>;
  shown: ReviewItem | undefined;
}): void {
  if (shown && state.lost.has(shown.id)) review.step(1);
  else review.save();
}
