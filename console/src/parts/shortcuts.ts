import { useEffect, useRef } from 'react';

/** Every shortcut: handlers, help, hints in menus and tests are made from this table. */
export const shortcuts = {
  palette: { keys: 'Mod+k', text: 'Go to a page, a name or an id', group: 'Everywhere' },
  help: { keys: '?', text: 'Show the shortcuts', group: 'Everywhere' },
  overview: { keys: 'g o', text: 'Go to the overview', group: 'Everywhere' },
  runs: { keys: 'g r', text: 'Go to the runs', group: 'Everywhere' },
  compareSection: { keys: 'g c', text: 'Go to the comparison', group: 'Everywhere' },
  traces: { keys: 'g a', text: 'Go to the traces', group: 'Everywhere' },
  monitors: { keys: 'g n', text: 'Go to the monitors', group: 'Everywhere' },
  testsets: { keys: 'g t', text: 'Go to the testsets', group: 'Everywhere' },
  metrics: { keys: 'g m', text: 'Go to the metrics', group: 'Everywhere' },
  systems: { keys: 'g s', text: 'Go to the systems', group: 'Everywhere' },
  review: { keys: 'g v', text: 'Go to the review', group: 'Everywhere' },
  filter: { keys: '/', text: 'Filter', group: 'Lists' },
  nextRow: { keys: 'j', text: 'Next row', group: 'Lists' },
  previousRow: { keys: 'k', text: 'Previous row', group: 'Lists' },
  open: { keys: 'Enter', text: 'Open the row', group: 'Lists' },
  peek: { keys: 'Space', text: 'Peek at the row', group: 'Lists' },
  select: { keys: 'x', text: 'Select the row', group: 'Lists' },
  selectNext: { keys: 'Shift+ArrowDown', text: 'Select to the next row', group: 'Lists' },
  selectPrevious: { keys: 'Shift+ArrowUp', text: 'Select to the previous row', group: 'Lists' },
  compare: { keys: 'c', text: 'Compare what is selected', group: 'Lists' },
  actions: { keys: '.', text: 'Actions', group: 'Lists' },
  up: { keys: 'Escape', text: 'Close, or one level up', group: 'Everywhere' },
  nextRecord: { keys: ']', text: 'Next record', group: 'Record' },
  annotate: { keys: 'a', text: 'Annotate the selected text', group: 'Record' },
  nextSpan: { keys: 'j', text: 'Next span', group: 'Trace' },
  previousSpan: { keys: 'k', text: 'Previous span', group: 'Trace' },
  nextError: { keys: 'e', text: 'Next span with an error', group: 'Trace' },
  nextPair: { keys: 'n', text: 'Next testcase', group: 'Comparison' },
  previousPair: { keys: 'p', text: 'Previous testcase', group: 'Comparison' },
  differenceKind: { keys: 'd', text: 'Difference by words, lines, JSON', group: 'Comparison' },
  onlyBaseline: { keys: '1', text: 'The baseline alone, or both', group: 'Comparison' },
  onlyCandidate: { keys: '2', text: 'The candidate alone, or both', group: 'Comparison' },
  tagPair: { keys: 't', text: 'Tag for a discussion', group: 'Comparison' },
  preferBaseline: { keys: 'a', text: 'The baseline is better', group: 'Comparison' },
  preferCandidate: { keys: 'b', text: 'The candidate is better', group: 'Comparison' },
  preferBoth: { keys: 'e', text: 'Both are good', group: 'Comparison' },
  undoPreference: { keys: 'u', text: 'Undo the last preference', group: 'Comparison' },
  previousRecord: { keys: '[', text: 'Previous record', group: 'Record' },
  value1: { keys: '1', text: '1, or pass', group: 'Review' },
  value2: { keys: '2', text: '2, or fail', group: 'Review' },
  value3: { keys: '3', text: '3', group: 'Review' },
  value4: { keys: '4', text: '4', group: 'Review' },
  value5: { keys: '5', text: '5', group: 'Review' },
  tabMetric: { keys: 'Tab', text: 'Next metric', group: 'Review' },
  nextMetric: { keys: 'ArrowDown', text: 'Next metric', group: 'Review' },
  previousMetric: { keys: 'ArrowUp', text: 'Previous metric', group: 'Review' },
  reason: { keys: 'r', text: 'Reason; Esc leads back', group: 'Review' },
  save: { keys: 'Enter', text: 'Save, and show the next', group: 'Review' },
  saveAnywhere: { keys: 'Mod+Enter', text: 'The same, also in the reason', group: 'Review' },
  skip: { keys: 'ArrowRight', text: 'Next, without saving', group: 'Review' },
  goBack: { keys: 'ArrowLeft', text: 'Previous, without saving', group: 'Review' },
  putOff: { keys: 's', text: 'Later: to the end of my queue', group: 'Review' },
  undo: { keys: 'u', text: 'Undo the last save, ten deep', group: 'Review' },
  tag: { keys: 't', text: 'Tag', group: 'Review' },
  expected: { keys: 'e', text: 'Show what was expected', group: 'Review' },
  find: { keys: 'f', text: 'Find in the outputs', group: 'Review' },
} as const;

export type Shortcut = keyof typeof shortcuts;
/** A handler that returns false leaves the key to the browser. */
type Handler = (event: KeyboardEvent) => unknown;
type Handlers = Partial<Record<Shortcut, Handler>>;

const storageKey = 'assay.single-keys';

/** Single keys can be switched off (WCAG 2.1.4): a person who speaks to the machine types many. */
export const areSingleKeysOn = (): boolean => localStorage.getItem(storageKey) !== 'off';

export function switchSingleKeys(areOn: boolean): void {
  if (areOn) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, 'off');
}

/** How long the second key of a sequence may take. */
const sequenceMs = 1200;

/** What is handled now; the part that was shown last comes first. */
const active: { current: Handlers }[] = [];
let firstKey: { key: string; at: number } | undefined;

/** Handles these shortcuts as long as the component is shown. */
export function useShortcuts(handlers: Handlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    active.unshift(latest);
    return () => void active.splice(active.indexOf(latest), 1);
  }, []);
}

/** The shortcuts that something handles at this moment. */
export const activeShortcuts = (): Shortcut[] =>
  (Object.keys(shortcuts) as Shortcut[]).filter((name) =>
    active.some(({ current }) => current[name] !== undefined),
  );

/** Listens to the keys of the page. Returns a function that ends it. */
export function listenToKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const pressed = pressedBy(event);
    if (pressed === undefined) return;
    const sequence =
      firstKey && event.timeStamp - firstKey.at < sequenceMs
        ? `${firstKey.key} ${pressed}`
        : undefined;
    const handler = (sequence && handlerOf(sequence)) ?? handlerOf(pressed);
    firstKey = pressed === 'g' && !sequence ? { key: pressed, at: event.timeStamp } : undefined;
    if (handler && handler(event) !== false) event.preventDefault();
  };
  window.addEventListener('keydown', onKey);
  return () => window.removeEventListener('keydown', onKey);
}

function handlerOf(keys: string): Handler | undefined {
  const names = (Object.keys(shortcuts) as Shortcut[]).filter(
    (name) => shortcuts[name].keys === keys,
  );
  for (const { current } of active)
    for (const name of names) if (current[name]) return current[name];
  return undefined;
}

/** The key as the table writes it; undefined where it belongs to a field or to the browser. */
function pressedBy(event: KeyboardEvent): string | undefined {
  if (event.defaultPrevented || event.isComposing || isBehindDialog()) return undefined;
  const isModified = event.metaKey || event.ctrlKey;
  const { key } = event;
  // It closes the menu first.
  if (key === 'Escape' && document.querySelector(':popover-open')) return undefined;
  if (isModified)
    return event.altKey ? undefined : `Mod+${key.length === 1 ? key.toLowerCase() : key}`;
  // Of an editor in a shadow root, `target` is only its host.
  if (event.altKey || isField(event.composedPath()[0] ?? null)) return undefined;
  if (event.key.length === 1 && !areSingleKeysOn()) return undefined;
  // A focused button or link is pressed by these itself.
  if ((event.key === 'Enter' || event.key === ' ') && isControl(event.target)) return undefined;
  if (key.startsWith('Arrow') && event.shiftKey) return `Shift+${key}`;
  return key === ' ' ? 'Space' : key;
}

/** The page behind an open dialog cannot be reached, by keys neither. */
const isBehindDialog = (): boolean => document.querySelector('dialog:modal') !== null;

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select'));

const isControl = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('a, button, summary') !== null;
