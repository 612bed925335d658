import { renderGuide } from './guide-page.ts';
import type { Site } from './layout.ts';

/** What the search of the pages finds: a place, and words that lead to it. */
interface SearchEntry {
  title: string;
  /** Where it stands: a guide, or the method and path of an operation. */
  of: string;
  /** Within the documentation. */
  path: string;
}

/** Returns the guides with their headings, and all operations. */
export function searchIndex(site: Site): SearchEntry[] {
  const guides = [...site.guides.pages.keys()].flatMap((name) => {
    const { title, headings } = renderGuide(site, name);
    const [, ...sections] = headings;
    return [
      { title, of: 'Guide', path: `guides/${name}` },
      ...sections.map((heading) => ({
        title: heading.title,
        of: title,
        path: `guides/${name}#${heading.id}`,
      })),
    ];
  });
  const operations = site.reference.tags.flatMap((tag) =>
    tag.operations.map(({ id, method, path, summary }) => ({
      title: summary,
      of: `${method} ${path} · ${id}`,
      path: `api/${tag.name}#${id}`,
    })),
  );
  const shapes = [...site.reference.shapes.keys()].map((name) => ({
    title: name,
    of: 'Shape',
    path: `api/shapes#${name}`,
  }));
  return [...operations, ...guides, ...shapes];
}
