import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from '@assay/runtime/api-key';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A package for clients, as it was built. */
interface ClientPackage {
  name: string;
  bytes: Buffer;
  etag: string;
  contentType: string;
}

/**
 * Serves the packages for TypeScript and Python, which anybody may fetch without a key: the ones
 * that fit this server. They are read once, at the start.
 */
export function servePackages(app: FastifyInstance, { folder }: { folder: string }): void {
  const packages = readPackages(folder);
  app.get('/sdk', (_request, reply) => reply.redirect('sdk/', 308));
  app.get('/sdk/', (request, reply) =>
    isBrowser(request)
      ? sendText(request, reply, 'text/html; charset=utf-8', indexPage(packages))
      : sendText(request, reply, 'application/json; charset=utf-8', indexJson(packages)),
  );
  // A package index of Python: PEP 503.
  app.get('/sdk/simple/', (request, reply) =>
    sendText(request, reply, 'text/html; charset=utf-8', simpleIndex),
  );
  app.get('/sdk/simple/assay/', (request, reply) =>
    sendText(request, reply, 'text/html; charset=utf-8', simplePage(packages)),
  );
  for (const { name, bytes, etag, contentType } of packages)
    app.get(`/sdk/${name}`, (request, reply) =>
      send(request, reply, { contentType, etag, content: bytes }),
    );
}

const contentTypes: Record<string, string> = {
  tgz: 'application/gzip',
  whl: 'application/zip',
};

function readPackages(folder: string): ClientPackage[] {
  return filesIn(folder).flatMap((name) => {
    const contentType = contentTypes[name.split('.').at(-1)!];
    if (contentType === undefined) return [];
    const bytes = readFileSync(join(folder, name));
    return [{ name, bytes, etag: `"${hashOf(bytes.toString('latin1'))}"`, contentType }];
  });
}

/** Without a build there are no packages, as there is no console. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

const isBrowser = ({ headers }: FastifyRequest): boolean =>
  /\btext\/html\b/i.test(headers.accept ?? '');

function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { contentType, etag, content }: { contentType: string; etag: string; content: Buffer | string },
): FastifyReply {
  void reply
    .header('etag', etag)
    // The next release has the same address.
    .header('cache-control', 'no-cache')
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    .type(contentType);
  const isKnown = headers['if-none-match']
    ?.split(',')
    .some((known) => known.trim().replace(/^W\//, '') === etag || known.trim() === '*');
  return isKnown ? reply.code(304).send() : reply.send(content);
}

function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  contentType: string,
  content: string,
): FastifyReply {
  void reply.header('vary', 'accept');
  return send(request, reply, { contentType, content, etag: `"${hashOf(content)}"` });
}

const addresses = (packages: ClientPackage[]) =>
  packages.map(({ name, bytes }) => ({ name, path: name, bytes: bytes.length }));

const indexJson = (packages: ClientPackage[]): string =>
  JSON.stringify({ packages: addresses(packages) });

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
</head>
<body>
${body}
</body>
</html>
`;

const indexPage = (packages: ClientPackage[]): string =>
  page(
    'Assay for TypeScript and Python',
    `<h1>Assay for TypeScript and Python</h1>
<p>Install a package from its address here, with <code>npm install</code> or <code>pip install</code>.</p>
<ul>
${packages.map(({ name }) => `<li><a href="${name}">${name}</a></li>`).join('\n')}
</ul>`,
  );

const simpleIndex = page('Packages', '<a href="assay/">assay</a>');

const simplePage = (packages: ClientPackage[]): string =>
  page(
    'assay',
    packages
      .filter(({ name }) => name.endsWith('.whl'))
      .map(({ name }) => `<a href="../../${name}" data-requires-python="&gt;=3.9">${name}</a>`)
      .join('\n'),
  );
