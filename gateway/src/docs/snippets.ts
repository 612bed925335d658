import { jsonText, literal } from './literal.ts';
import type { ExampleBody, ReferenceOperation } from './reference.ts';

/** A request as a reader sends it. */
interface ExampleRequest {
  method: string;
  url: string;
  needsKey: boolean;
  body: { contentType: string; value: unknown } | undefined;
  /** Whether the reply is one JSON value, text in lines that come in time, bytes, or nothing. */
  reply: 'json' | 'lines' | 'bytes' | 'nothing';
}

export const languages = [
  { name: 'curl', title: 'curl', write: writeCurl },
  { name: 'typescript', title: 'TypeScript', write: writeTypeScript },
  { name: 'python', title: 'Python', write: writePython },
] as const;

/**
 * Returns the request of an example: with the example of each parameter of the path and of the
 * query that has one. `base` is the address of the server, without the base path.
 */
export function requestOf(
  operation: ReferenceOperation,
  example: ExampleBody | undefined,
  base: string,
): ExampleRequest {
  const { method, path, parameters, needsKey, replies } = operation;
  const given = parameters.filter(({ example }) => example !== undefined);
  const filled = given
    .filter(({ place }) => place === 'path')
    .reduce(
      (text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(example!)),
      path,
    );
  const query = new URLSearchParams(
    given
      .filter(({ place }) => place === 'query')
      .map(({ name, example }): [string, string] => [name, example!]),
  );
  const types = Object.keys(replies[0]?.content ?? {});
  return {
    method,
    url: `${base}/v2${filled}${query.size > 0 ? `?${query}` : ''}`,
    needsKey,
    body: example && {
      contentType: example.contentType === '*/*' ? 'text/plain' : example.contentType,
      value: example.value,
    },
    reply: replyOf(
      types,
      types[0] !== undefined && replies.length > 1 && replies[1]!.status === '206',
    ),
  };
}

function replyOf(types: string[], isBytes: boolean): ExampleRequest['reply'] {
  if (types.length === 0) return 'nothing';
  if (isBytes || types.includes('application/octet-stream')) return 'bytes';
  return types.length === 1 && types[0] === 'application/json' ? 'json' : 'lines';
}

function writeCurl({ method, url, needsKey, body, reply }: ExampleRequest): string {
  const parts = [
    // Events are printed as they come.
    `curl ${reply === 'lines' ? '-sSN' : '-sS'}${method === 'GET' ? '' : ` -X ${method}`} ${shellText(url)}`,
    ...(needsKey ? ['-H "Authorization: Bearer $ASSAY_API_KEY"'] : []),
    ...(body ? [`-H ${shellText(`Content-Type: ${body.contentType}`)}`] : []),
    ...(body ? [`--data-binary ${shellText(plainText(body.value))}`] : []),
  ];
  return `${parts.join(' \\\n  ')}\n`;
}

const shellText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const plainText = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value));

function writeTypeScript({ method, url, needsKey, body, reply }: ExampleRequest): string {
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is a template where it is read.
    ...(needsKey ? ['authorization: `Bearer ${process.env.ASSAY_API_KEY}`,'] : []),
    ...(body ? [`'content-type': ${javaScriptText(body.contentType)},`] : []),
  ];
  const content =
    body &&
    (typeof body.value === 'string'
      ? javaScriptText(body.value)
      : `JSON.stringify(${javaScript(body.value, '  ')})`);
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 1 ? [`  headers: { ${headers[0]!.slice(0, -1)} },`] : []),
    ...(headers.length > 1
      ? ['  headers: {', ...headers.map((line) => `    ${line}`), '  },']
      : []),
    ...(content ? [`  body: ${content},`] : []),
  ];
  return `const reply = await fetch(${javaScriptText(url)}${options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''});
if (!reply.ok) throw new Error(await reply.text());
${typeScriptReply[reply]}
`;
}

const typeScriptReply = {
  json: 'console.log(await reply.json());',
  lines: 'for await (const chunk of reply.body ?? []) process.stdout.write(chunk);',
  bytes: 'const bytes = await reply.arrayBuffer();\nconsole.log(bytes.byteLength);',
  nothing: 'console.log(reply.status);',
};

/** A text between single quotes, as a formatter writes it. */
const javaScriptText = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

function javaScript(value: unknown, indent: string): string {
  return literal(value, indent, {
    step: '  ',
    text: javaScriptText,
    key: (key) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : javaScriptText(key)),
    word: String,
    lastComma: ',',
    padding: ' ',
  });
}

function writePython({ method, url, needsKey, body, reply }: ExampleRequest): string {
  const headers = [
    ...(needsKey ? [`"Authorization": f"Bearer {os.environ['ASSAY_API_KEY']}",`] : []),
    ...(body ? [`"Content-Type": ${pythonText(body.contentType)},`] : []),
  ];
  const content =
    body &&
    (typeof body.value === 'string'
      ? `${pythonText(body.value)}.encode()`
      : `json.dumps(${python(body.value, '    ')}).encode()`);
  const options = [
    `${pythonText(url)},`,
    ...(method === 'GET' ? [] : [`method="${method}",`]),
    ...(headers.length === 1 ? [`headers={${headers[0]!.slice(0, -1)}},`] : []),
    ...(headers.length > 1 ? ['headers={', ...headers.map((line) => `    ${line}`), '},'] : []),
    ...(content ? [`data=${content},`] : []),
  ];
  const modules = [
    ...(reply === 'json' || (body && typeof body.value !== 'string') ? ['json'] : []),
    ...(needsKey ? ['os'] : []),
    'urllib.request',
  ];
  return `${modules.map((name) => `import ${name}`).join('\n')}

request = urllib.request.Request(
${options.map((line) => `    ${line}`).join('\n')}
)
with urllib.request.urlopen(request) as reply:
${pythonReply[reply]}
`;
}

const pythonReply = {
  json: '    print(json.dumps(json.load(reply), indent=2))',
  lines: '    for line in reply:\n        print(line.decode(), end="")',
  bytes: '    print(len(reply.read()))',
  nothing: '    print(reply.status)',
};

const pythonText = (text: string): string => JSON.stringify(text);

const pythonWords: Record<string, string> = { true: 'True', false: 'False', null: 'None' };

const python = (value: unknown, indent: string): string =>
  literal(value, indent, {
    step: '    ',
    text: pythonText,
    key: pythonText,
    word: (word) => pythonWords[String(word)] ?? String(word),
    lastComma: ',',
    padding: '',
  });
