import type { KeyboardEvent } from 'react';

const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * Goes with the arrows from one link or button of an open panel to the next, round its ends. A field
 * in it keeps its arrows.
 */
export function walkPanel(event: KeyboardEvent, panel: HTMLElement | null): void {
  const step = steps[event.key];
  if (step === undefined || !panel?.matches(':popover-open')) return;
  if (event.target instanceof Element && event.target.matches('input, select, textarea')) return;
  const stops = [...panel.querySelectorAll<HTMLElement>('a[href], button:not(:disabled)')].filter(
    (stop) => stop.checkVisibility(),
  );
  if (stops.length === 0) return;
  event.preventDefault();
  const present = stops.indexOf(document.activeElement as HTMLElement);
  const next = present < 0 ? (step > 0 ? 0 : -1) : (present + step) % stops.length;
  stops.at(next)?.focus();
}
