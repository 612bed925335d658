import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { contracts } from '@assay/contracts/all';
import { isDocumented } from '@assay/contracts/define';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { guidePage } from '../src/docs/guide-page.ts';
import { guideGroups, readGuides } from '../src/docs/guides.ts';
import { homePage } from '../src/docs/home.ts';
import type { Site } from '../src/docs/layout.ts';
import { createReference } from '../src/docs/reference.ts';
import { shapesPage, tagPage } from '../src/docs/reference-pages.ts';
import { createOpenApi } from '../src/openapi.ts';
import { type Setting, sendRaw, startSetting } from './setting.ts';

const folder = fileURLToPath(new URL('../../docs', import.meta.url));
const document = createOpenApi(contracts);
const clientOperations = contracts.flatMap(({ operations }) =>
  Object.entries(operations).flatMap(([name, definition]) =>
    isDocumented(definition) ? [name] : [],
  ),
);

let setting: Setting;
let crawled: Map<string, Page>;
beforeAll(async () => {
  setting = await startSetting();
  crawled = await crawl(`${setting.gateway.url}/docs`);
});
afterAll(() => setting.stop());

interface Page {
  status: number;
  headers: Headers;
  text: string;
  /** Where the page leads, and what it loads. */
  links: URL[];
  ids: string[];
}

async function get(path: string, headers: Record<string, string> = {}): Promise<Page> {
  const reply = await fetch(new URL(path, setting.gateway.url), { headers });
  const text = await reply.text();
  const isPage = reply.headers.get('content-type')?.startsWith('text/html');
  const named = isPage ? [...text.matchAll(/ (?:src|href)="([^"]+)"/g)] : [];
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    links: named.map(([, link]) => new URL(link!.replaceAll('&amp;', '&'), reply.url)),
    ids: [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!),
  };
}

/** All pages and files of this server that can be reached from a page by links. */
async function crawl(start: string): Promise<Map<string, Page>> {
  const found = new Map<string, Page>();
  const waiting = [start];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    const page = await get(next);
    found.set(next, page);
    for (const { origin, pathname, href } of page.links)
      if (origin === setting.gateway.url && pathname !== '/') waiting.push(href.split('#', 1)[0]!);
  }
  return found;
}

const pagesOf = (prefix: string) =>
  [...crawled].filter(([url]) => new URL(url).pathname.startsWith(`/docs/${prefix}`));

describe('the documentation', () => {
  test('leads only to pages that exist, at places that they have', () => {
    expect(crawled.size).toBeGreaterThan(60);
    const broken = [...crawled].flatMap(([from, { status, links }]) => [
      ...(status === 200 ? [] : [`${from}: ${status}`]),
      ...links.flatMap((link) => {
        const target = crawled.get(link.href.split('#', 1)[0]!);
        const id = decodeURIComponent(link.hash.slice(1));
        return target && id !== '' && !target.ids.includes(id) ? [`${from} → ${link.href}`] : [];
      }),
    ]);
    expect(broken).toEqual([]);
  });

  test('loads nothing from another host, has no script or style within its pages, and allows none', () => {
    for (const [url, { headers, text }] of crawled) {
      if (!headers.get('content-type')!.startsWith('text/html')) continue;
      expect([url, headers.get('content-security-policy')]).toEqual([
        url,
        expect.stringMatching(/^default-src 'none';script-src 'self';style-src 'self';/),
      ]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(text).not.toMatch(/ src="(https?:|data:|\/\/)|<link[^>]* href="(https?:|\/\/)/);
      expect(text).not.toMatch(/<style| style="| on[a-z]+="|<script(?![^>]* src=)/);
    }
  });

  test('gives every page names that are each given once', () => {
    for (const [url, { ids }] of crawled)
      expect([url, ids.length]).toEqual([url, new Set(ids).size]);
  });

  test('has every guide of the folder, in a group with a sentence', () => {
    const pages = ['', 'adr/'].flatMap((inside) =>
      readdirSync(`${folder}/${inside}`)
        .filter((file) => file.endsWith('.md'))
        .map((file) => `${inside}${file.slice(0, -3)}`),
    );
    const served = pagesOf('guides/').map(([url]) =>
      new URL(url).pathname.slice('/docs/guides/'.length),
    );
    expect(served.toSorted()).toEqual(pages.toSorted());
    const grouped = guideGroups.flatMap(({ guides }) => guides);
    expect(grouped.map(([name]) => name).toSorted()).toEqual(
      pages.filter((name) => !/^adr\/\d/.test(name)).toSorted(),
    );
    for (const [, sentence] of grouped) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });

  test('opens with the guides, then the operations in the order of use, members and keys at the end', () => {
    const { text } = crawled.get(`${setting.gateway.url}/docs/`)!;
    const order = [...text.matchAll(/<h[23] id="(\w+)"/g)].map(([, id]) => id);
    expect(order).toEqual([
      'start',
      'guides',
      'rules',
      'operations',
      'projects',
      'testsets',
      'testcases',
      'systems',
      'metrics',
      'runs',
      'records',
      'scores',
      'results',
      'traces',
      'attachments',
      'organization',
    ]);
    const listed = [...text.matchAll(/<li><a href="api\/\w+#(\w+)"/g)].map(([, id]) => id);
    expect(listed.toSorted()).toEqual(clientOperations.toSorted());
  });

  test('shows every operation in each language, and every shape of its body with its example', () => {
    const sections = pagesOf('api/').flatMap(([, { text }]) =>
      text.split('<section class="operation" id="').slice(1),
    );
    expect(sections).toHaveLength(clientOperations.length);
    for (const section of sections) {
      const count = (pattern: RegExp) => [...section.matchAll(pattern)].length;
      const examples = Math.max(1, count(/type="radio" name="\w+-example"/g));
      for (const language of ['curl', 'typescript', 'python'])
        expect(count(new RegExp(`class="snippet ${language}`, 'g'))).toBe(examples);
    }
    const [createMetric] = sections.filter((section) => section.startsWith('createMetric"'));
    expect(createMetric!.match(/<div class="variant"/g)).toHaveLength(9);
  });

  test('has a page within 16 KB as it is sent, within 32 KB for the longest guides, and 48 KB for that of all shapes; style and script within 8 KB', async () => {
    const sizes = await Promise.all(
      [...crawled.keys()].map(async (url) => {
        const headers = { 'accept-encoding': 'br' };
        let bytes = 0;
        const { headers: replied } = await sendRaw(url, { method: 'GET', headers }, (request) =>
          request
            .on('response', (response) => response.on('data', (chunk) => (bytes += chunk.length)))
            .end(),
        );
        return { path: new URL(url).pathname, type: replied['content-type'] ?? '', bytes };
      }),
    );
    const long = /\/(operations|reading-a-comparison|testing|performance|judge-templates)$/;
    const most = (path: string) =>
      path.endsWith('/shapes') ? 48_000 : long.test(path) ? 32_000 : 16_000;
    const tooMuch = sizes.filter(({ path, type, bytes }) =>
      type.startsWith('text/html')
        ? bytes > most(path)
        : /^text\/(css|javascript)/.test(type) && bytes > 8000,
    );
    expect(tooMuch).toEqual([]);
    expect(sizes.filter(({ type }) => /^text\/(css|javascript)/.test(type))).toHaveLength(2);
  });

  test('sends pages compressed as the client takes them, and once', async () => {
    const plain = crawled.get(`${setting.gateway.url}/docs/api/projects`)!.text;
    const url = `${setting.gateway.url}/docs/api/projects`;
    for (const [accepted, coding, decode] of [
      ['gzip, br', 'br', brotliDecompressSync],
      ['gzip, br;q=0', 'gzip', gunzipSync],
      ['identity', undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const chunks: Buffer[] = [];
      const { headers } = await sendRaw(
        url,
        { method: 'GET', headers: { 'accept-encoding': accepted } },
        (request) =>
          request
            .on('response', (response) => response.on('data', (chunk) => chunks.push(chunk)))
            .end(),
      );
      expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'accept-encoding']);
      expect(decode(Buffer.concat(chunks)).toString()).toBe(plain);
    }
    const etag = crawled.get(url)!.headers.get('etag')!;
    const again = await fetch(url, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('finds nothing beside its own files', async () => {
    for (const path of [
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
      '/docs/guides/%2e%2e/%2e%2e/package',
      '/docs/guides/../../SECURITY',
      '/docs/pictures/..%2fopenapi.json',
      '/docs/swagger-ui.css',
      '/docs/api/nothing',
      '/docs/constructor',
      '/constructor',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  test('writes the address of this server into the examples', () => {
    const { text } = crawled.get(`${setting.gateway.url}/docs/api/projects`)!;
    expect(text).toContain(`<span data-base>${setting.gateway.url}</span>/v2/projects`);
  });
});

const siteWith = (change: Partial<Site> = {}): Site => ({
  guides: readGuides(folder),
  reference: createReference(document, contracts),
  style: 'style.css',
  script: 'script.js',
  ...change,
});

test('the reference stands without guides, and names none', () => {
  const site = siteWith({ guides: readGuides(`${folder}/nothing-of-this-name`) });
  const pages = [
    homePage(site, 'https://assay.example.com'),
    tagPage(site, 'metrics', 'https://assay.example.com'),
    shapesPage(site, 'https://assay.example.com'),
  ];
  for (const page of pages) expect(page).not.toMatch(/href="[^"]*guides/);
  expect(pages[1]).toContain('Create a metric');
});

test('HTML and links in guides and in the API document are text', () => {
  const hostile = '<img src=x onerror=alert(1)> [here](javascript:alert(2)) `</code><script>`';
  const evil = structuredClone(document);
  const operation = evil.paths!['/projects']!.post!;
  const shape = evil.components!.schemas!.CreateProject as { properties: object };
  operation.summary = operation.description = hostile;
  Object.assign(operation.requestBody!, { description: hostile });
  Object.assign(shape, {
    properties: { '<b>"\'': { type: 'string', default: hostile, description: hostile } },
  });
  const media = (operation.requestBody as { content: Record<string, { example: unknown }> })
    .content;
  media['application/json']!.example = { [hostile]: hostile };
  const reading = readGuides(folder);
  const name = 'errors';
  const source = `# ${hostile}\n\n## ${hostile}\n\n${hostile}\n\n| ${hostile} |\n|--|\n| ${hostile} |\n\n- ${hostile}\n\n\`\`\`"><script>\n${hostile}\n\`\`\`\n\n<script>alert(3)</script>\n\n![x](https://evil.example/x.png)`;
  const site = siteWith({
    reference: createReference(evil, contracts),
    guides: { ...reading, pages: new Map([[name, { name, title: hostile, source }]]) },
  });
  const pages = [
    guidePage(site, name),
    homePage(site, 'http://a'),
    tagPage(site, 'projects', 'http://a'),
    shapesPage(site, 'http://a'),
  ];
  for (const page of pages) {
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page).not.toMatch(/<img src=x|<script>|href="javascript:|evil\.example\/x\.png"/);
    // Nothing of it ends an attribute.
    expect(page).not.toMatch(/<b>"|""><script/);
  }
});
