import { lexer, type Token, type Tokens } from 'marked';
import { type Content, type Html, html } from './html.ts';

/** A heading of a guide, and its name in the page's address. */
export interface Heading {
  id: string;
  title: string;
  depth: number;
}

/** How a guide's links and codes become those of its page. */
export interface Links {
  /** Where a link of the source leads; undefined where the server has nothing of it. */
  link(href: string): string | undefined;
  /** Where a picture of the source is. */
  picture(href: string): string | undefined;
  /** The operation that a code names, such as `POST /runs`. */
  operation(code: string): string | undefined;
}

/** For a text that is within a link, or whose links nobody needs. */
export const noLinks: Links = {
  link: () => undefined,
  picture: () => undefined,
  operation: () => undefined,
};

export interface RenderedMarkdown {
  title: string;
  headings: Heading[];
  content: Html;
}

/** Renders a guide: tokens become elements, and HTML in the source is text. */
export function renderMarkdown(source: string, links: Links): RenderedMarkdown {
  const tokens = lexer(source);
  const headings = headingsOf(tokens);
  const ids = new Map(headings.map(({ token, id }) => [token, id]));
  const [first] = headings;
  const title = first?.token.depth === 1 ? first.title : '';
  const body = title ? tokens.filter((token) => token !== first!.token) : tokens;
  return {
    title,
    headings: headings.map(({ id, title, token }) => ({ id, title, depth: token.depth })),
    content: html`${blocks(body, { ...links, ids })}`,
  };
}

interface Rendering extends Links {
  ids: ReadonlyMap<Token, string>;
}

const blocks = (tokens: Token[], rendering: Rendering): Content[] =>
  tokens.map((token) => block(token, rendering));

function block(token: Token, rendering: Rendering): Content {
  const within = (tokens: Token[] | undefined) => inlines(tokens, rendering);
  switch (token.type) {
    case 'space':
    case 'def':
      return '';
    case 'heading':
      return heading(token as Tokens.Heading, rendering);
    case 'paragraph':
      return html`<p>${within(token.tokens)}</p>\n`;
    case 'text':
      return token.tokens ? within(token.tokens) : token.raw;
    case 'code':
      return codeBlock(token.text, token.lang);
    case 'blockquote':
      return html`<blockquote>${blocks(token.tokens ?? [], rendering)}</blockquote>\n`;
    case 'list':
      return list(token as Tokens.List, rendering);
    case 'table':
      return table(token as Tokens.Table, rendering);
    case 'hr':
      return html`<hr>\n`;
    default:
      return html`<p>${token.raw}</p>\n`;
  }
}

function heading(token: Tokens.Heading, rendering: Rendering): Html {
  const id = rendering.ids.get(token)!;
  const content = html`<a class="anchor" href="#${id}">${inlines(token.tokens, rendering)}</a>`;
  if (token.depth <= 2) return html`<h2 id="${id}">${content}</h2>\n`;
  if (token.depth === 3) return html`<h3 id="${id}">${content}</h3>\n`;
  return html`<h4 id="${id}">${content}</h4>\n`;
}

/** A block of code, which scrolls by itself and can be reached by the keyboard for that. */
export const codeBlock = (text: string, language = ''): Html =>
  html`<pre tabindex="0" data-language="${language}"><code>${text}</code></pre>\n`;

function list({ ordered, start, items }: Tokens.List, rendering: Rendering): Html {
  const entries = items.map(({ tokens }) => html`<li>${blocks(tokens, rendering)}</li>\n`);
  return ordered
    ? html`<ol start="${Number(start) || 1}">${entries}</ol>\n`
    : html`<ul>${entries}</ul>\n`;
}

function table({ header, rows }: Tokens.Table, rendering: Rendering): Html {
  const cells = (row: Tokens.TableCell[]) =>
    row.map(({ tokens }) => html`<td>${inlines(tokens, rendering)}</td>`);
  // A header without words is a cell: nothing could be read in its place.
  const heads = header.map(({ tokens, text }) =>
    text.trim() === '' ? html`<td></td>` : html`<th scope="col">${inlines(tokens, rendering)}</th>`,
  );
  return html`<div class="wide" tabindex="0"><table>
<thead><tr>${heads}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row)}</tr>\n`)}</tbody>
</table></div>\n`;
}

/** Renders a sentence of the API document: codes, emphasis and links, no blocks. */
export const renderSentence = (source: string, links: Links): Html =>
  html`${lexer(source).map((token, index) => [
    index > 0 && ' ',
    'tokens' in token && token.type === 'paragraph'
      ? inlines(token.tokens, { ...links, ids: new Map() })
      : token.raw,
  ])}`;

const inlines = (tokens: Token[] | undefined, rendering: Rendering): Content[] =>
  (tokens ?? []).map((token) => inline(token, rendering));

function inline(token: Token, rendering: Rendering): Content {
  const within = () =>
    inlines(token.type === 'text' ? [] : (token as Tokens.Strong).tokens, rendering);
  switch (token.type) {
    case 'strong':
      return html`<strong>${within()}</strong>`;
    case 'em':
      return html`<em>${within()}</em>`;
    case 'del':
      return html`<del>${within()}</del>`;
    case 'br':
      return html`<br>`;
    case 'codespan':
      return code(token.text, rendering);
    case 'escape':
      return token.text;
    case 'link':
      return link(token as Tokens.Link, rendering);
    case 'image':
      return picture(token as Tokens.Image, rendering);
    case 'text':
      return 'tokens' in token && token.tokens ? inlines(token.tokens, rendering) : token.raw;
    default:
      return token.raw;
  }
}

function code(text: string, { operation }: Rendering): Html {
  const href = operation(text);
  return href === undefined
    ? html`<code>${text}</code>`
    : html`<a href="${href}"><code>${text}</code></a>`;
}

/** A link in a link is none, so a code in one does not lead to its operation. */
function link({ href, tokens }: Tokens.Link, rendering: Rendering): Content {
  const content = inlines(tokens, { ...rendering, operation: () => undefined });
  const target = rendering.link(href);
  return target === undefined ? content : html`<a href="${target}">${content}</a>`;
}

function picture({ href, text }: Tokens.Image, rendering: Rendering): Content {
  const source = rendering.picture(href);
  return source === undefined ? text : html`<img src="${source}" alt="${text}" loading="lazy">`;
}

/** The headings with the names that GitHub gives them, so that links to them lead here too. */
function headingsOf(tokens: Token[]): { token: Tokens.Heading; id: string; title: string }[] {
  const taken = new Map<string, number>();
  return tokens
    .filter((token): token is Tokens.Heading => token.type === 'heading')
    .map((token) => {
      const title = wordsOf(token.tokens);
      const name = title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-');
      const times = taken.get(name) ?? 0;
      taken.set(name, times + 1);
      return { token, title, id: times === 0 ? name : `${name}-${times}` };
    });
}

const wordsOf = (tokens: Token[]): string =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens
        ? wordsOf(token.tokens)
        : token.type === 'codespan' || token.type === 'escape'
          ? token.text
          : token.raw,
    )
    .join('');
