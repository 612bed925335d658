import { fieldsOf } from './fields.ts';
import { linksFrom } from './guide-page.ts';
import { html } from './html.ts';
import { page, rootOf, type Site } from './layout.ts';
import { jsonText } from './literal.ts';
import { codeBlock, renderSentence } from './markdown.ts';
import { type OperationView, operationSection } from './operation.ts';

/** Returns how a page shows the parts of the API document. */
function viewFrom(site: Site, path: string, base: string): OperationView {
  const links = linksFrom(site, path, '');
  const root = rootOf(path);
  return {
    reference: site.reference,
    base,
    opensShapes: path !== 'api/shapes',
    shapeLink: (name) => `${path === 'api/shapes' ? '' : `${root}api/shapes`}#${name}`,
    sentence: (text) => renderSentence(text, links),
    errors: site.guides.pages.has('errors') ? `${root}guides/errors` : undefined,
  };
}

/** Returns the page of a tag: its operations in the order of use. */
export function tagPage(site: Site, name: string, base: string): string {
  const { title, description, operations } = site.reference.tags.find((tag) => tag.name === name)!;
  const path = `api/${name}`;
  const view = viewFrom(site, path, base);
  return page({
    site,
    path,
    title,
    kind: 'reference',
    content: html`<h1>${title}</h1>
<p class="lead">${view.sentence(description)}</p>
${operations.map((operation) => operationSection(operation, view))}`,
  });
}

/** Returns the page of all shapes of bodies and replies. */
export function shapesPage(site: Site, base: string): string {
  const path = 'api/shapes';
  const view = viewFrom(site, path, base);
  const shapes = [...site.reference.shapes].toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  return page({
    site,
    path,
    title: 'All shapes',
    kind: 'guide',
    content: html`<h1>All shapes</h1>
<p class="lead">What bodies and replies are made of, by the names that the OpenAPI document gives them. Replies may gain fields in a later release.</p>
${shapes.map(
  // Without a label: two hundred landmarks would hide those of the page from a screen reader.
  ([name, schema]) => html`<section class="shape" id="${name}">
<h2><a class="anchor" href="#${name}">${name}</a></h2>
${schema.description !== undefined && html`<p>${view.sentence(schema.description)}</p>\n`}${fieldsOf(schema, view)}${
  schema.examples?.[0] !== undefined &&
  html`<details><summary>Example of ${name}</summary>
${codeBlock(jsonText(schema.examples[0]), 'json')}</details>
`
}</section>
`,
)}`,
  });
}
