import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { contracts } from '@assay/contracts/all';
import { hashOf } from '@assay/runtime/api-key';
import { noSuchRoute } from '@assay/runtime/http/application';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { guidePage } from './docs/guide-page.ts';
import { readGuides } from './docs/guides.ts';
import { homePage } from './docs/home.ts';
import { type FileContent, keptFile } from './docs/kept-files.ts';
import type { Site } from './docs/layout.ts';
import { createReference } from './docs/reference.ts';
import { shapesPage, tagPage } from './docs/reference-pages.ts';
import { searchIndex } from './docs/search-index.ts';
import { createOpenApi } from './openapi.ts';
import { bases } from './routing.ts';

interface DocsOptions {
  /** The path below which clients reach the gateway, such as `/assay`, or an empty text. */
  publicPath: string;
  /** Where clients reach the API; undefined where the gateway does not know. */
  publicUrl: string | undefined;
  /** The folder of the guides. */
  folder: string;
}

/** Serves the API document and the documentation, which anybody can read without a key. */
export function serveDocs(
  app: FastifyInstance,
  { publicPath, publicUrl, folder }: DocsOptions,
): void {
  const document = once(() => createOpenApi(contracts, publicPath));
  const openapi = keptFile(() => ({
    type: 'application/json; charset=utf-8',
    content: JSON.stringify(document()),
  }));
  for (const base of bases) app.get(`${base}/openapi.json`, openapi);
  void app.register(async (docs) => {
    await docs.register(helmet, protection);
    // Made when the first page is asked for: that takes longer than the rest of a start.
    const files = once(() =>
      filesOf({
        site: siteOf(document(), folder),
        base: publicUrl === undefined ? ownAddress(app) : new URL(publicUrl).origin + publicPath,
      }),
    );
    // Pages name each other from `/docs/`, so that any prefix may stand before it.
    docs.get('/docs', (_request, reply) => reply.redirect('docs/'));
    docs.get('/docs/guides', (_request, reply) => reply.redirect('./#guides'));
    docs.get('/docs/api', (_request, reply) => reply.redirect('./#operations'));
    docs.get('/docs/*', (request, reply) => {
      const file = files().get((request.params as { '*': string })['*']);
      if (!file) throw noSuchRoute();
      return file(request, reply);
    });
  });
}

type Files = Map<string, (request: FastifyRequest, reply: FastifyReply) => FastifyReply>;

/** Returns all files of the documentation by their paths within it; each is made when asked for. */
function filesOf({ site, base }: { site: Site; base: string }): Files {
  const { guides, reference } = site;
  const page = (make: () => string) =>
    keptFile(() => ({ type: 'text/html; charset=utf-8', content: make() }));
  // The names of these have the hash of what is in them.
  const asset = (make: () => FileContent) => keptFile(make, 'public, max-age=31536000, immutable');
  return new Map([
    ['', page(() => homePage(site, base))],
    ...[...guides.pages.keys()].map(
      (name) => [`guides/${name}`, page(() => guidePage(site, name))] as const,
    ),
    ...reference.tags.map(
      ({ name }) => [`api/${name}`, page(() => tagPage(site, name, base))] as const,
    ),
    ['api/shapes', page(() => shapesPage(site, base))],
    [
      'search.json',
      keptFile(() => ({
        type: 'application/json; charset=utf-8',
        content: JSON.stringify(searchIndex(site)),
      })),
    ],
    ...[...guides.pictures].flatMap((name) => {
      const type = pictureTypes[name.split('.').at(-1)!];
      const picture = keptFile(() => ({ type: type!, content: guides.readPicture(name) }));
      return type === undefined ? [] : [[`pictures/${name}`, picture] as const];
    }),
    [site.style, asset(() => ({ type: 'text/css; charset=utf-8', content: style() }))],
    [site.script, asset(() => ({ type: 'text/javascript; charset=utf-8', content: script() }))],
    [
      'icon.svg',
      keptFile(() => ({ type: 'image/svg+xml', content: read('console/src/icon.svg') })),
    ],
  ]);
}

const pictureTypes: Record<string, string> = {
  svg: 'image/svg+xml',
  jpg: 'image/jpeg',
  png: 'image/png',
};

/** Reads a file of the repository, or of the image that has it at the same place. */
const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

/** The look is the console's. */
const style = (): string => read('console/src/style/tokens.css') + read('gateway/pages/style.css');
const script = (): string => read('gateway/pages/script.js');

const siteOf = (document: ReturnType<typeof createOpenApi>, folder: string): Site => ({
  guides: readGuides(folder),
  reference: createReference(document, contracts),
  style: `style.${hashOf(style()).slice(0, 12)}.css`,
  script: `script.${hashOf(script()).slice(0, 12)}.js`,
});

/** The address at which this process listens, as a program on the same machine writes it. */
function ownAddress({ server }: FastifyInstance): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return 'http://127.0.0.1';
  const { address: host, family, port } = address;
  const isEvery = host === '0.0.0.0' || host === '::';
  return `http://${isEvery ? '127.0.0.1' : family === 'IPv6' ? `[${host}]` : host}:${port}`;
}

/** The policy of the pages: nothing from elsewhere, and no HTML of text. */
const protection = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
    },
  },
  // Left to the proxy that terminates TLS.
  strictTransportSecurity: false,
};

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
