import { fieldRow, fieldsOf, type SchemaView, typeOf } from './fields.ts';
import { type Content, type Html, html } from './html.ts';
import { shortened } from './layout.ts';
import { jsonText } from './literal.ts';
import { codeBlock } from './markdown.ts';
import type { ExampleBody, Parameter, ReferenceOperation, Reply, Schema } from './reference.ts';
import { languages, requestOf } from './snippets.ts';

/** How a page shows operations. */
export interface OperationView extends SchemaView {
  /** The address of the server, without the base path. */
  base: string;
  /** The address of the guide to errors; undefined where there are no guides. */
  errors: string | undefined;
}

/** Returns the section of one operation: in words at one side, in code at the other. */
export function operationSection(operation: ReferenceOperation, view: OperationView): Html {
  const { id, method, path, summary, description, bodies } = operation;
  const title = shortened(summary);
  const sentences = [title === summary ? '' : `${summary}.`, description];
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><a class="anchor" href="#${id}">${view.sentence(title)}</a></h2>
<p class="route">${methodOf(method)} <code>/v2${breakablePath(path)}</code></p>
<div class="words">
${sentences.map((text) => text !== '' && html`<p>${view.sentence(text)}</p>\n`)}${parametersOf(operation, view)}${bodyOf(operation, view)}${repliesOf(operation, view)}${failuresOf(operation, view)}</div>
<div class="code">
${snippetsOf(operation, bodies, view)}${replyExample(operation)}</div>
</section>
`;
}

export const methodOf = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

/** A path with places at which its line may break. */
export const breakablePath = (path: string): Content =>
  path.split(/(?<=.)(?=\/)/).map((part) => html`<wbr>${part}`);

function parametersOf({ parameters }: ReferenceOperation, view: SchemaView): Content {
  if (parameters.length === 0) return undefined;
  return html`<h3>Parameters</h3>
<table class="fields">
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>
${parameters.map((parameter) => fieldRow(fieldOf(parameter), view))}</tbody>
</table>
`;
}

const fieldOf = ({ name, place, isRequired, schema, description }: Parameter) => ({
  path: name,
  schema: { ...schema, description } as Schema,
  mark: place === 'query' && isRequired ? 'query, required' : place,
});

function bodyOf({ id, body, bodies }: ReferenceOperation, view: SchemaView): Content {
  if (!body) return undefined;
  const types = Object.entries(body.contents);
  const [, schema] = types[0]!;
  const shapes = (view.reference.resolve(schema).oneOf ?? []) as Schema[];
  const fields =
    types.length > 1 || types[0]![0] !== 'application/json'
      ? html`<p>${types.map(([type], index) => [index > 0 && ', ', html`<code>${type}</code>`])}</p>\n`
      : shapes.length === bodies.length
        ? shapes.map(
            (shape, index) =>
              html`<div class="variant" data-variant="${index + 1}">${fieldsOf(shape, view)}</div>`,
          )
        : fieldsOf(schema, view);
  return html`<h3>Body</h3>
<p>${!body.isRequired && 'May be left out. '}${view.sentence(body.description)}</p>
${bodies.length > 1 && chooser(id, bodies, shapes.length > 0)}${fields}`;
}

/** The choice of an example, which also chooses the fields of its shape. Without script, too. */
function chooser(id: string, bodies: ExampleBody[], isOfShapes: boolean): Html {
  return html`<fieldset class="choice">
<legend>${isOfShapes ? 'Shape' : 'Example'}</legend>
${bodies.map(
  ({ title }, index) =>
    html`<label><input type="radio" name="${id}-example" value="${index + 1}"${index === 0 && html` checked`}> <span>${title}</span></label>\n`,
)}</fieldset>
`;
}

function repliesOf({ replies }: ReferenceOperation, view: SchemaView): Content {
  return replies.map(
    ({ status, description, content }) => html`<h3>Reply <span class="status">${status}</span></h3>
<p>${view.sentence(description)} ${typesOf(content, view)}</p>
`,
  );
}

function typesOf(content: Reply['content'], view: SchemaView): Content {
  const types = Object.entries(content);
  const [first] = types;
  if (first?.[0] === 'application/json' && types.length === 1)
    return html`A ${typeOf(first[1].schema, view)}.`;
  return types.map(([type], index) => [index > 0 && ', ', html`<code>${type}</code>`]);
}

function failuresOf({ failures }: ReferenceOperation, { errors }: OperationView): Content {
  return html`<details class="failures"><summary>Errors</summary>
<table class="fields">
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">For example</th></tr></thead>
<tbody>
${failures.map(
  ({ code, status, message }) =>
    html`<tr><th scope="row"><code>${code}</code></th><td>${status}</td><td>${message}</td></tr>\n`,
)}</tbody>
</table>
${errors !== undefined && html`<p><a href="${errors}">What to do about each</a></p>`}
</details>
`;
}

/** Returns the request of each example in each language; a reader chooses both. */
export function snippetsOf(
  operation: ReferenceOperation,
  bodies: ExampleBody[],
  { base }: Pick<OperationView, 'base'>,
): Html {
  const examples = bodies.length > 0 ? bodies : [undefined];
  return html`<div class="snippets">
<fieldset class="tabs">
<legend class="hidden">Language of ${operation.id}</legend>
${languages.map(
  ({ name, title }, index) =>
    html`<label><input type="radio" name="${operation.id}-language" value="${name}"${index === 0 && html` checked`}> <span>${title}</span></label>\n`,
)}</fieldset>
${examples.map((example, index) =>
  languages.map(
    ({ name, write }) =>
      html`<pre class="snippet ${name}${examples.length > 1 && ' variant'}" data-variant="${index + 1}" tabindex="0"><code>${withBase(write(requestOf(operation, example, base)), base)}</code></pre>\n`,
  ),
)}</div>
`;
}

/** The code with the address of the server marked, which a browser may know better. */
const withBase = (code: string, base: string): Content =>
  code.split(base).map((part, index) => [index > 0 && html`<span data-base>${base}</span>`, part]);

function replyExample({ replies }: ReferenceOperation): Content {
  const reply = replies[0];
  const [type, media] = Object.entries(reply?.content ?? {})[0] ?? [];
  if (media?.example === undefined || media.example === 'bytes') return undefined;
  const text = typeof media.example === 'string' ? media.example : jsonText(media.example);
  return html`<div class="answer"><p class="title">${reply!.status} <span>${type}</span></p>
${codeBlock(text, 'json')}</div>
`;
}
