import { type GuideGroup, type Guides, guideGroups } from './guides.ts';
import { type Content, type Html, html } from './html.ts';
import type { Heading } from './markdown.ts';
import type { Reference } from './reference.ts';

/** What every page of the documentation names. */
export interface Site {
  guides: Guides;
  reference: Reference;
  /** Addresses of the style and the script, with what is in them, within the documentation. */
  style: string;
  script: string;
}

interface PageOptions {
  site: Site;
  /** The page's path within the documentation: `guides/errors`; an empty text for the first page. */
  path: string;
  title: string;
  content: Content;
  headings?: readonly Heading[];
  /** Names the look of the page. */
  kind: 'home' | 'guide' | 'reference';
}

/** Returns the way from a page to the root of the documentation, such as `../`. */
export const rootOf = (path: string): string => '../'.repeat(path.split('/').length - 1) || './';

/** Returns the groups with the guides that there are. */
export const groupsOf = ({ pages }: Guides): GuideGroup[] =>
  guideGroups
    .map(({ title, guides }) => ({ title, guides: guides.filter(([name]) => pages.has(name)) }))
    .filter(({ guides }) => guides.length > 0);

/** Returns a whole page: its navigation, its content, and its contents at the side. */
export function page({ site, path, title, content, headings = [], kind }: PageOptions): string {
  const root = rootOf(path);
  const sections = headings.filter(({ depth }) => depth === 2 || depth === 3);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === '' ? 'Assay documentation' : `${title} · Assay`}</title>
<link rel="stylesheet" href="${root}${site.style}">
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
<script src="${root}${site.script}" data-root="${root}" defer></script>
</head>
<body class="${kind}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${root}"><img src="${root}icon.svg" alt="" width="24" height="24"><span>Assay</span> <span class="of">docs</span></a>
<div id="search" role="search" hidden>
<label class="hidden" for="query">Search the documentation</label>
<input id="query" type="search" placeholder="Search guides and operations" autocomplete="off" spellcheck="false" aria-controls="found">
<kbd>/</kbd>
<div id="found" hidden></div>
</div>
<nav aria-label="Elsewhere"><a href="${root}../">Console</a> <a href="${root}../v2/openapi.json">OpenAPI</a></nav>
</header>
<div class="columns">
<nav class="pages" aria-label="Documentation">
<input type="checkbox" id="menu"><label for="menu">All pages</label>
<div class="menu">
${navigation(site, path, root)}</div>
</nav>
<main id="content">
${content}</main>
${
  sections.length > 2 &&
  html`<nav class="contents" aria-label="On this page">
<h2>On this page</h2>
<ul>
${sections.map(({ id, title, depth }) => html`<li class="depth-${depth}"><a href="#${id}">${title}</a></li>\n`)}</ul>
</nav>`
}
</div>
</body>
</html>
`.text;
}

function navigation({ guides, reference }: Site, path: string, root: string): Html {
  const entry = (target: string, title: string, inside: Content = undefined) =>
    html`<li><a href="${root}${target}"${target === path && html` aria-current="page"`}>${title}</a>${inside}</li>\n`;
  const tags = reference.tags.map(({ name, title, operations }) =>
    entry(
      `api/${name}`,
      title,
      path === `api/${name}` &&
        html`<ul>
${operations.map(({ id, summary }) => html`<li><a href="#${id}">${shortened(summary).replaceAll('`', '')}</a></li>\n`)}</ul>`,
    ),
  );
  const groups = groupsOf(guides).map(
    (group) => html`<h2>${group.title}</h2>
<ul>
${group.guides.map(([name]) => entry(`guides/${name}`, guides.pages.get(name)!.title))}</ul>
`,
  );
  const operations = html`<h2>API</h2>
<ul>
${tags}${entry('api/shapes', 'All shapes')}</ul>
`;
  return path.startsWith('api/') ? html`${operations}${groups}` : html`${groups}${operations}`;
}

/** The beginning of a summary, up to where it goes into details. */
export const shortened = (summary: string): string => summary.split(/[;:(]/, 1)[0]!.trim();
