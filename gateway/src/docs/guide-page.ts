import { targetOf } from './guides.ts';
import { html } from './html.ts';
import { page, rootOf, type Site } from './layout.ts';
import { type Links, type RenderedMarkdown, renderMarkdown } from './markdown.ts';

/** Returns the page of a guide. */
export function guidePage(site: Site, name: string): string {
  const { title, headings, content } = renderGuide(site, name);
  return page({
    site,
    path: `guides/${name}`,
    title,
    headings,
    kind: 'guide',
    content: html`<h1>${title}</h1>\n${content}`,
  });
}

/** Renders a guide, with its links as they lead from its page. */
export const renderGuide = (site: Site, name: string): RenderedMarkdown =>
  renderMarkdown(site.guides.pages.get(name)!.source, linksFrom(site, `guides/${name}`, name));

/** Returns how the links of a text lead from a page; `source` is the guide that has the text. */
export function linksFrom({ guides, reference }: Site, path: string, source: string): Links {
  const root = rootOf(path);
  const seen = (target: string | undefined) =>
    target === undefined || /^https?:/.test(target) ? target : `${root}${target}`;
  return {
    link: (href) => seen(targetOf(href, source, guides)),
    picture: (href) => {
      const name = /(?:^|\/)pictures\/([^/]+)$/.exec(href)?.[1];
      return name !== undefined && guides.pictures.has(name)
        ? `${root}pictures/${name}`
        : undefined;
    },
    operation: (code) => seen(reference.find(code)),
  };
}
