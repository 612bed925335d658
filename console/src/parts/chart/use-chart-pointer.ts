import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { type ChartPoint, margin, nearestTo, type scalesOf } from './scales.ts';

/** A pointer that moved less is a click, in pixels. */
const dragMin = 6;

/** Steps of the keys from point to point. */
const steps: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  Home: -Infinity,
  End: Infinity,
};

/** The pointer and the keys on a chart: they choose a point, open it, or choose a span of time. */
export function useChartPointer({
  points,
  x,
  width,
  onOpen,
  onSpan,
}: {
  points: readonly ChartPoint[];
  x: ReturnType<typeof scalesOf>['x'];
  width: number;
  onOpen: (point: ChartPoint) => void;
  onSpan?: ((from: number, to: number) => void) | undefined;
}) {
  const [chosen, setChosen] = useState<number>();
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const placeOf = ({ clientX, currentTarget }: PointerEvent<Element>): number => {
    const place = clientX - currentTarget.getBoundingClientRect().left;
    return Math.max(margin.left, Math.min(width - margin.right, place));
  };
  const timeAt = (place: number): number => x.invert(place).getTime();
  const isDragged = drag !== undefined && Math.abs(drag.to - drag.from) >= dragMin;
  return {
    /** The place in the list of the point that is looked at. */
    chosen: points.length > 0 && chosen !== undefined ? Math.min(chosen, points.length - 1) : -1,
    span: isDragged
      ? ([Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)] as const)
      : undefined,
    handlers: {
      onPointerMove: (event: PointerEvent<Element>) => {
        const place = placeOf(event);
        setChosen(nearestTo(points, timeAt(place)));
        if (drag) setDrag({ ...drag, to: place });
      },
      onPointerDown: (event: PointerEvent<Element>) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const place = placeOf(event);
        setChosen(nearestTo(points, timeAt(place)));
        setDrag({ from: place, to: place });
      },
      onPointerUp: (event: PointerEvent<Element>) => {
        if (!drag) return;
        const place = placeOf(event);
        setDrag(undefined);
        const [from, to] = [Math.min(drag.from, place), Math.max(drag.from, place)];
        if (to - from >= dragMin) onSpan?.(timeAt(from), timeAt(to));
        else {
          const point = points[nearestTo(points, timeAt(place))];
          if (point) onOpen(point);
        }
      },
      onPointerCancel: () => setDrag(undefined),
      onPointerLeave: () => setChosen(undefined),
      onFocus: () => setChosen((before) => before ?? points.length - 1),
      onBlur: () => setChosen(undefined),
      onKeyDown: (event: KeyboardEvent<Element>) => {
        const now = chosen ?? points.length - 1;
        const step = steps[event.key];
        if (step !== undefined) {
          event.preventDefault();
          setChosen(Math.max(0, Math.min(points.length - 1, now + step)));
        } else if (event.key === 'Enter' && points[now]) {
          event.preventDefault();
          onOpen(points[now]);
        }
      },
    },
  };
}
