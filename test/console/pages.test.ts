import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { labelsFile, labelsOf, type PageLabels } from '../../scripts/pictures/labels.ts';
import { colourProblemsOf, problemsOf } from './accessibility.ts';
import { type AssetSizes, watchAssets } from './assets.ts';
import { describeInBrowser, type Visitor } from './browser.ts';
import { type Content, makeContent } from './pages.ts';

type Theme = 'light' | 'dark';

/** The findings of a walk through all pages. */
interface Findings {
  /** By theme and page: faults of accessibility, and complaints of the browser. */
  problems: Record<Theme, string[]>;
  /** The width of each page in a window of 320 px, by its name. */
  widths: Map<string, number>;
  /** The bytes of script and of styles that each page took, compressed, by its name. */
  sizes: Map<string, AssetSizes>;
  /** The labels of the pages that docs/pictures/ shows, by the names of the pictures. */
  labels: Record<string, PageLabels>;
}

/** The pictures of the documents, by the pages that they show. */
const pictures: Record<string, string> = {
  comparison: 'comparison',
  'run, its records': 'run',
  record: 'record',
};

const size = { width: 1280, height: 800 };
/**
 * At a time: a walk also waits until a page asks for nothing more. Each one's first page costs as
 * much as three of the others.
 */
const visitors = 2;

describeInBrowser('every page', (stage) => {
  let content: Content;
  let findings: Findings;
  beforeAll(async () => {
    content = await makeContent(stage.assay.call);
    findings = await walk(
      () => stage.visit({ theme: 'light', ...size }),
      [['sign-in', '/login'], ...content.pages],
    );
  });

  test.each(['light', 'dark'] as const)(
    'is accessible by the rules of WCAG 2.2 AA, and complains of nothing, in the %s theme',
    (theme) => {
      expect(findings.problems[theme]).toEqual([]);
    },
  );

  test('fits a window 320 px wide: only grids and plots scroll sideways', () => {
    const { widths } = findings;
    expect(widths.size).toBeGreaterThan(content.pages.length);
    expect([...widths].filter(([, width]) => width > 320)).toEqual([]);
  });

  test('takes at most 200 KB of script, 370 KB with an editor, and 20 KB of styles, compressed', () => {
    const tooMuch: string[] = [];
    for (const [name, , has] of content.pages) {
      const { js, css } = findings.sizes.get(name)!;
      // An editor that was not loaded would be within any budget.
      expect(js, name).toBeGreaterThan(has ? 200_000 : 50_000);
      if (js > (has ? 370_000 : 200_000)) tooMuch.push(`${name}: ${js} bytes of script`);
      if (css > 20_000) tooMuch.push(`${name}: ${css} bytes of styles`);
    }
    expect(tooMuch).toEqual([]);
  });

  test('has the labels of its picture in the documents', () => {
    const { labels } = findings;
    const drawn: Record<string, PageLabels> = JSON.parse(readFileSync(labelsFile, 'utf8'));
    expect(Object.keys(labels).toSorted()).toEqual(Object.keys(drawn).toSorted());
    const missing = Object.entries(labels).flatMap(([picture, page]) =>
      [...page.navigation, ...page.labels]
        .filter((label) => {
          const { navigation, labels } = drawn[picture]!;
          return !navigation.includes(label) && !labels.includes(label);
        })
        .map((label) => `${picture}: ${label}`),
    );
    expect(missing, 'draw them again: npm run console:screenshots -- documents').toEqual([]);
  });

  test('has nothing of another organization: its ids are not found', async () => {
    const { key } = await stage.assay.newOrganization('Others');
    // What a page has in its tabs belongs to the same project as the page.
    const ofPaths = new Map(content.pages.map((page) => [page[1].split('?')[0], page]));
    const inProject = [...ofPaths.values()].filter(([, path]) => path.includes('/projects/'));
    await openEach(
      () => stage.visit({ key }),
      inProject,
      () =>
        async ({ page }, name) => {
          const text = (await page.locator('main').textContent()) ?? '';
          expect(text, name).not.toMatch(/Capitals|Bergen|atlas|discuss/);
        },
    );
  });
});

/**
 * Loads each page once, in the light theme, and then turns it dark: a theme is a matter of the style
 * sheet alone, which has other colours for it.
 */
async function walk(visit: () => Promise<Visitor>, pages: Content['pages']): Promise<Findings> {
  const found: Findings = {
    problems: { light: [], dark: [] },
    widths: new Map(),
    sizes: new Map(),
    labels: {},
  };
  await openEach(visit, pages, ({ page }) => {
    const sizeOf = watchAssets(page);
    return async ({ complaints }, name) => {
      const note = (theme: Theme, problems: string[]) =>
        found.problems[theme].push(
          ...[...problems, ...complaints.splice(0)].map((problem) => `${name}: ${problem}`),
        );
      note('light', await problemsOf(page));
      found.sizes.set(name, await sizeOf());
      const picture = pictures[name];
      if (picture) found.labels[picture] = await labelsOf(page);
      await page.setViewportSize({ width: 320, height: 640 });
      const width = await page.evaluate('document.documentElement.scrollWidth');
      found.widths.set(name, Number(width));
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: 'dark' });
      note('dark', await colourProblemsOf(page));
      await page.emulateMedia({ colorScheme: 'light' });
    };
  });
  return found;
}

/** Several visitors open each page once between them. Each looks at a page when it has settled. */
async function openEach(
  visit: () => Promise<Visitor>,
  pages: Content['pages'],
  looking: (visitor: Visitor) => (visitor: Visitor, name: string) => Promise<void>,
): Promise<void> {
  const waiting = [...pages];
  await Promise.all(
    Array.from({ length: visitors }, async () => {
      await using visitor = await visit();
      const look = looking(visitor);
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [name, path] = next;
        await visitor.open(path);
        await visitor.quiet();
        await look(visitor, name);
      }
    }),
  );
}
