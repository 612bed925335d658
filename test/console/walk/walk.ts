import { colourProblemsOf, problemsOf } from '../accessibility.ts';
import { watchAssets } from '../assets.ts';
import type { Visitor } from '../browser.ts';
import type { Content } from '../pages.ts';
import type { Finding, Kind } from './findings.ts';
import { shiftsOf, watchShifts } from './shifts.ts';
import { heavyShareOf } from './text-weight.ts';

/** What was seen on a walk. */
interface WalkResult {
  findings: Finding[];
  /** The title of each page, by its path without its query. */
  titles: Map<string, Set<string>>;
}

/** Loads of each page: what moves depends on the width, and on how late its files come. */
const loads = [
  { width: 1440, isCold: true },
  { width: 1024, isCold: false },
  { width: 390, isCold: true },
  { width: 390, isCold: false },
];

/** The narrowest first: the last load was of that width. */
const widths = [390, 1024, 1440];
const height = 900;

/** For how long a page has asked for nothing when its movements are counted, in ms. */
const settledMs = 2_000;

const most = {
  shift: 0.02,
  /** The share of a page's text that is of weight 600 and more. */
  heavyShare: 1 / 8,
  /** Compressed. */
  css: 20_000,
  font: 60_000,
};

/** At a time: a visitor mostly waits for a page to have settled. */
const visitors = 4;

/** Names the buttons and links that have the colour of a main action, where they are several. */
const mainActions = `(() => {
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.setProperty('background', 'var(--accent)');
  const accent = getComputedStyle(probe).backgroundColor;
  probe.remove();
  const main = [...document.querySelectorAll('main :is(button, a)')].filter((element) =>
    element.checkVisibility() && getComputedStyle(element).backgroundColor === accent);
  return main.length > 1 ? [main.map(({ textContent }) => textContent).join(', ')] : [];
})()`;

/** The height of a page's head, without the lines of a title after its first, where it is another one than of all. */
const headHeight = `(() => {
  const head = document.querySelector('main > header:has(> * > h1)');
  if (!head) return [];
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.setProperty('display', 'block');
  probe.style.setProperty('height', 'var(--head)');
  const wanted = probe.offsetHeight;
  probe.remove();
  const title = head.querySelector('h1');
  const more = title.offsetHeight - parseFloat(getComputedStyle(title).lineHeight);
  const height = head.offsetHeight - Math.max(0, more);
  return Math.abs(height - wanted) <= 1 ? [] : [height + ' px, not ' + wanted];
})()`;

/** Names what a finger presses and is less than 24 px high; choices of a list are pressed with their line. */
const lowTargets = `[...new Set([...document.querySelectorAll(
  'a, button, select, summary, input:not([type=checkbox], [type=radio])',
)].flatMap((element) => {
  const { width, height } = element.getBoundingClientRect();
  const isSeen = element.checkVisibility({ visibilityProperty: true }) && width > 1;
  if (!isSeen || height >= 23.5) return [];
  return [element.tagName.toLowerCase() + ' “' + (element.ariaLabel ?? element.textContent).slice(0, 30) + '” is ' + height.toFixed(1) + ' px high'];
}))]`;

/** Several visitors open all pages between them. */
export async function walk(
  visit: () => Promise<Visitor>,
  pages: Content['pages'],
): Promise<WalkResult> {
  const seen: WalkResult = { findings: [], titles: new Map() };
  const waiting = [...pages];
  await Promise.all(
    Array.from({ length: visitors }, async () => {
      await using visitor = await visit();
      await watchShifts(visitor.page);
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [name, path] = next;
        await lookAt(visitor, path, (kind, details) =>
          seen.findings.push({ page: name, kind, details }),
        );
        const kindOfPage = path.split('?', 1)[0]!;
        const titles = seen.titles.get(kindOfPage) ?? new Set();
        seen.titles.set(kindOfPage, titles.add(await visitor.page.title()));
      }
    }),
  );
  return seen;
}

/** Of a page for something that is not there, the browser's log says so. */
const isNowhere = (path: string): boolean => path.endsWith('/nothing');

type Note = (kind: Kind, details: string) => void;

async function lookAt(visitor: Visitor, path: string, note: Note): Promise<void> {
  const { page, complaints } = visitor;
  const sizesOf = watchAssets(page);
  for (const load of loads) await lookAtLoad(visitor, { path, ...load }, note);
  const { css, woff2 } = await sizesOf();
  if (css > most.css) note('bytes', `${css} bytes of styles`);
  if (woff2 > most.font) note('bytes', `${woff2} bytes of fonts`);
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    await lookAtWidth(visitor, width, note);
  }
  for (const problem of await page.evaluate<string[]>(mainActions)) note('actions', problem);
  for (const problem of await page.evaluate<string[]>(headHeight)) note('head', problem);
  const share = await heavyShareOf(page);
  if (share > most.heavyShare) note('weight', `${Math.round(share * 100)} % of the text`);
  for (const complaint of complaints.splice(0))
    if (!isNowhere(path) || !complaint.includes('404')) note('complaints', complaint);
}

async function lookAtLoad(
  { page, context, open, quiet }: Visitor,
  { path, width, isCold }: { path: string; width: number; isCold: boolean },
  note: Note,
): Promise<void> {
  await page.setViewportSize({ width, height });
  if (isCold) {
    const session = await context.newCDPSession(page);
    await session.send('Network.clearBrowserCache');
    await session.detach();
  }
  await open(path);
  await quiet(settledMs);
  const shifts = await shiftsOf(page);
  const total = shifts.reduce((sum, { value }) => sum + value, 0);
  if (total <= most.shift) return;
  const moved = shifts.map(({ value, moved }) => `${value.toFixed(3)} ${moved.join(', ')}`);
  const cache = isCold ? 'empty cache' : 'warm cache';
  note('shift', `${width} px, ${cache}: ${total.toFixed(3)}: ${moved.join('; ')}`);
}

async function lookAtWidth({ page }: Visitor, width: number, note: Note): Promise<void> {
  if (width === widths[0])
    for (const low of await page.evaluate<string[]>(lowTargets)) note('targets', low);
  const shown = Number(await page.evaluate('document.documentElement.scrollWidth'));
  if (shown > width) note('width', `${shown} px at ${width} px`);
  for (const problem of await problemsOf(page)) note('accessibility', `${width} px: ${problem}`);
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const problem of await colourProblemsOf(page))
    note('accessibility', `${width} px, dark: ${problem}`);
  await page.emulateMedia({ colorScheme: 'light' });
}
