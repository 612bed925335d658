import { type Content, html } from './html.ts';
import { groupsOf, page, type Site } from './layout.ts';
import { noLinks, renderSentence } from './markdown.ts';
import { breakablePath, methodOf, snippetsOf } from './operation.ts';

/** Returns the first page: a short start, the guides, and the operations in the order of use. */
export function homePage(site: Site, base: string): string {
  const groups = groupsOf(site.guides);
  return page({
    site,
    path: '',
    title: '',
    kind: 'home',
    headings: [
      { id: 'start', title: 'Send a request', depth: 2 },
      ...(groups.length > 0 ? [{ id: 'guides', title: 'Guides', depth: 2 }] : []),
      { id: 'rules', title: 'Rules of all operations', depth: 2 },
      { id: 'operations', title: 'Operations', depth: 2 },
      ...site.reference.tags.map(({ name, title }) => ({ id: name, title, depth: 3 })),
    ],
    content: html`<h1>Assay documentation</h1>
<p class="lead">Assay keeps testsets, versioned systems and the runs of their evaluations, has the records scored by a model, by code or by people, and says whether one version is better than another.</p>
${start(site, base)}${groups.length > 0 && guides(site)}${rules(site)}${operations(site)}`,
  });
}

function start(site: Site, base: string): Content {
  const first = site.reference.tags
    .flatMap(({ operations }) => operations)
    .find(({ id }) => id === 'listProjects');
  return html`<section aria-labelledby="start">
<h2 id="start">Send a request</h2>
<p>Put your API key into the environment. After <code>npm start</code>, the key of this machine's admin is in the file <code>.assay/admin-key</code>; <a href="api/organization#createApiKey">another key</a> is made by the API or in the console.</p>
<pre tabindex="0"><code>export ASSAY_API_KEY=$(cat .assay/admin-key)</code></pre>
<p>Ask for the projects that there are. The address is the one of this server, in every example of these pages.</p>
${first && snippetsOf(first, [], { base })}</section>
`;
}

function guides(site: Site): Content {
  return html`<section aria-labelledby="guides">
<h2 id="guides">Guides</h2>
<div class="groups">
${groupsOf(site.guides).map(
  ({ title, guides }) => html`<div class="group">
<h3>${title}</h3>
<ul>
${guides.map(([name, sentence]) => html`<li><a href="guides/${name}">${site.guides.pages.get(name)!.title}</a> <span>${sentence}</span></li>\n`)}</ul>
</div>
`,
)}</div>
</section>
`;
}

/** Returns the rules that hold for every operation, from the contract's section "Conventions". */
function rules(site: Site): Content {
  const errors = site.guides.pages.has('errors') && html` <a href="guides/errors">All codes</a>.`;
  return html`<section aria-labelledby="rules">
<h2 id="rules">Rules of all operations</h2>
<dl class="rules">
<dt>Address</dt><dd>Paths begin with <code>/v2</code>. The same operations answer under <code>/api/v2</code>.</dd>
<dt>Key</dt><dd><code>Authorization: Bearer ak_…</code> with every request. A key belongs to one organization, and sees nothing of others.</dd>
<dt>Errors</dt><dd>Every failure is <code>{ "code", "message", "details" }</code>. Decide by the code; the message is for people.${errors}</dd>
<dt>Pages</dt><dd>A list has <code>data</code>, <code>hasMore</code> and <code>nextCursor</code>. Send the cursor back as <code>?cursor=</code> for the next page, and <code>?limit=</code> for its size.</dd>
<dt>Repeats</dt><dd>Send an <code>Idempotency-Key</code> of your own with a POST: a repeat after a lost reply gets the first answer again, for 24 hours.</dd>
<dt>Support</dt><dd>Every reply has an <code>x-request-id</code>, which stands in the server's log too.</dd>
</dl>
</section>
`;
}

function operations({ reference }: Site): Content {
  return html`<section aria-labelledby="operations">
<h2 id="operations">Operations</h2>
<p>In the order of use. <a href="api/shapes">All shapes</a> of bodies and replies have a page of their own, and <a href="../v2/openapi.json">the OpenAPI document</a> says the same to programs.</p>
${reference.tags.map(
  ({ name, title, description, operations }) => html`<div class="tag">
<h3 id="${name}"><a href="api/${name}">${title}</a></h3>
<p>${description}</p>
<ul class="operations">
${operations.map(
  ({ id, method, path, summary }) =>
    html`<li><a href="api/${name}#${id}">${methodOf(method)} <code>${breakablePath(path)}</code></a> <span>${renderSentence(summary, noLinks)}</span></li>\n`,
)}</ul>
</div>
`,
)}</section>
`;
}
