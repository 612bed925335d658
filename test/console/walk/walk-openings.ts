import { pollAtMost } from '@assay/testing/poll';
import { colourProblemsOf, problemsOf } from '../accessibility.ts';
import type { Visitor } from '../browser.ts';
import type { OpeningContent } from '../openings/content.ts';
import { type Opening, openByKeys } from '../openings/opening.ts';
import type { Finding, Kind } from './findings.ts';
import { movedBehind, watchBehind } from './movements.ts';

/** The narrowest first: what opens on a telephone stays open as the window grows. */
const widths = [390, 1024, 1440];
const height = 800;

/** At a time: a visitor mostly waits for a page to have settled. */
const visitors = 3;

/** How long something may take to open: longer than on any machine, and shorter than a walk. */
const openingMs = 20_000;

/** Several visitors open all of them between them. */
export async function walkOpenings(
  visit: () => Promise<Visitor>,
  openings: Opening[],
  content: OpeningContent,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const waiting = [...openings];
  await Promise.all(
    Array.from({ length: visitors }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const name = `${next.file}: ${next.title}`;
        // Each is a visitor of its own: some sign out, or leave work behind.
        await using visitor = await visit();
        await lookAt(visitor, next, content, (kind, details) =>
          findings.push({ page: name, kind, details }),
        );
      }
    }),
  );
  return findings;
}

type Note = (kind: Kind, details: string) => void;

async function lookAt(
  visitor: Visitor,
  opening: Opening,
  content: OpeningContent,
  note: Note,
): Promise<void> {
  const { page, complaints } = visitor;
  await page.setViewportSize({ width: widths[0]!, height });
  await visitor.open(opening.path(content));
  await visitor.quiet();
  page.setDefaultTimeout(openingMs);
  try {
    await opening.before?.(page);
    await watchBehind(page);
    await openByKeys(page, opening);
    const isOpen = () => page.evaluate<boolean>(`Boolean(${shown})`);
    await pollAtMost(openingMs, 'it is open', isOpen);
    if (!opening.holdsRequest) await visitor.quiet();
    for (const width of widths) await lookAtWidth(visitor, width, note);
    for (const moved of await movedBehind(page)) note('shift', moved);
  } catch (error) {
    note('complaints', `does not open: ${(error as Error).message}`);
  } finally {
    page.setDefaultTimeout(120_000);
  }
  // The browser names the refusal after which a person signs in again.
  for (const complaint of complaints.splice(0))
    if (!complaint.includes('401')) note('complaints', complaint);
}

async function lookAtWidth({ page }: Visitor, width: number, note: Note): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.evaluate(settling);
  for (const problem of await page.evaluate<string[]>(placing))
    note('width', `${width} px: ${problem}`);
  for (const problem of await problemsOf(page, shown))
    note('accessibility', `${width} px: ${problem}`);
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const problem of await colourProblemsOf(page, shown))
    note('accessibility', `${width} px, dark: ${problem}`);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Two frames: a panel is placed anew after its button, which may have left a window that grew. */
const settling = `new Promise((resolve) => {
  document.activeElement.scrollIntoView({ block: 'center' });
  requestAnimationFrame(() => requestAnimationFrame(resolve));
})`;

/** What is open, the uppermost. */
const shown = `[':popover-open', 'dialog:modal', '[role=listbox]']
  .map((selector) => [...document.querySelectorAll(selector)].at(-1))
  .find((element) => element?.checkVisibility())`;

/** Says where it leaves the window, or has more than it shows. */
const placing = `(() => {
  const open = ${shown};
  if (!open) return ['is no longer open'];
  const problems = [];
  const { left, right, top, bottom } = open.getBoundingClientRect();
  if (left < 0 || right > innerWidth || top < 0 || bottom > innerHeight)
    problems.push('reaches from ' + [left, top].map(Math.round) + ' to ' + [right, bottom].map(Math.round));
  const nameOf = ({ tagName, className, textContent }) =>
    tagName.toLowerCase() + '.' + String(className).split(' ')[0] + ' “' + textContent.slice(0, 40) + '”';
  for (const element of [open, ...open.querySelectorAll('*')]) {
    const { clientWidth, scrollWidth } = element;
    // What is for screen readers alone is a pixel wide.
    if (clientWidth <= 1 || scrollWidth <= clientWidth + 1) continue;
    const { overflowX, textOverflow, display } = getComputedStyle(element);
    const isMeantTo = textOverflow === 'ellipsis' || element.matches('input, textarea, [tabindex="0"]');
    if (overflowX !== 'visible' && display !== 'inline' && !isMeantTo)
      problems.push(nameOf(element) + ' is ' + scrollWidth + ' px wide in ' + clientWidth);
  }
  return problems;
})()`;
