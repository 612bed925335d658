import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from '@assay/runtime/api-key';
import { noSuchRoute } from '@assay/runtime/http/application';
import helmet from '@fastify/helmet';
import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

interface ConsoleOptions {
  /** The folder of the console's build; undefined where the console is off. */
  folder: string | undefined;
  /** The path below which clients reach the gateway, such as `/assay`, or an empty text. */
  publicPath: string;
}

/**
 * Serves the console: its files, and its page at every path that a browser opens and nobody else
 * answers. The page is read once, at the start, and names the files of the same build.
 */
export function serveConsole(app: FastifyInstance, { folder, publicPath }: ConsoleOptions): void {
  const page = folder === undefined ? undefined : readPage(folder, publicPath);
  if (page) void app.register((files) => serveFiles(files, join(folder!, 'assets')));
  void app.register(async (pages) => {
    // A path that is none gets the headers of any other failure.
    await pages.register(helmet, { ...protection, global: false });
    pages.get('/*', async (request, reply) => {
      if (folder !== undefined && isOpenedByBrowser(request)) {
        await reply.helmet();
        return sendPage(request, reply, page);
      }
      if (pathOf(request) !== '/') throw noSuchRoute();
      return {
        name: 'Assay',
        docs: `${publicPath}/docs`,
        openapi: `${publicPath}/v2/openapi.json`,
      };
    });
  });
}

async function serveFiles(files: FastifyInstance, root: string): Promise<void> {
  await files.register(helmet, protection);
  // A path that leads out of the folder, or that no file can have, is not there.
  files.setErrorHandler((error) => {
    const { statusCode = 500 } = error as { statusCode?: number };
    throw statusCode < 500 ? noSuchRoute() : error;
  });
  await files.register(staticFiles, {
    root,
    prefix: '/assets/',
    // Their names have the hash of what is in them.
    immutable: true,
    maxAge: '1y',
    // By whoever made the build: compressing for each request would let anybody keep a core busy.
    preCompressed: true,
    setHeaders: (response) => void response.setHeader('vary', 'accept-encoding'),
    index: false,
    decorateReply: false,
  });
}

/** Paths at which a browser never finds the console: a file that is gone is no page, either. */
const ownPaths = /^\/(v2|api|otel|docs|sdk|mcp|assets|metrics|livez|readyz|healthz)(\/|$)/;

const isOpenedByBrowser = (request: FastifyRequest): boolean =>
  !ownPaths.test(pathOf(request)) && /\btext\/html\b/i.test(request.headers.accept ?? '');

const pathOf = ({ raw }: FastifyRequest): string => raw.url!.split('?', 1)[0]!;

interface Page {
  html: string;
  etag: string;
}

/** Returns the console's page with the public path written into it; undefined without a build. */
function readPage(folder: string, publicPath: string): Page | undefined {
  const html = readIfThere(join(folder, 'index.html'))
    ?.replaceAll(/(\s(?:src|href)=")\.?\/assets\//g, `$1${publicPath}/assets/`)
    .replace(
      '<meta name="public-path" content=""',
      `<meta name="public-path" content="${publicPath}"`,
    );
  return html === undefined ? undefined : { html, etag: `W/"${hashOf(html)}"` };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function sendPage(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  page: Page | undefined,
): FastifyReply {
  void reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8');
  if (!page) return reply.code(404).send(pageWithoutBuild);
  void reply.header('etag', page.etag);
  const isKnown = headers['if-none-match']?.split(',').some((etag) => etag.trim() === page.etag);
  return isKnown ? reply.code(304).send() : reply.send(page.html);
}

const pageWithoutBuild = `<!doctype html>
<html lang="en">
<title>Assay</title>
<h1>The console is not built</h1>
<p>Build it with <code>npm run build --workspace console</code>, and start the gateway again.</p>
<p>The API works without it.</p>
</html>
`;

/** The policy of the console: nothing from elsewhere, and no HTML of text. */
const protection = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:', 'blob:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      workerSrc: ["'self'"],
      manifestSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      // For the URLs of the console's own workers.
      trustedTypes: ['assay-worker'],
    },
  },
  referrerPolicy: { policy: 'same-origin' as const },
  crossOriginOpenerPolicy: { policy: 'same-origin' as const },
  // Left to the proxy that terminates TLS.
  strictTransportSecurity: false,
};
