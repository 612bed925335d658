import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { contracts } from '@assay/contracts/all';
import { Failure } from '@assay/contracts/failure';
import type { Metrics } from '@assay/runtime/metrics';
import { indexHtml, pageCss, pageScript } from './docs-page.ts';
import type { Exchange } from './exchange.ts';
import { createOpenApi } from './openapi.ts';
import type { Readiness } from './readiness.ts';
import { sendReply } from './replies.ts';

type Page = (exchange: Exchange) => Promise<void>;

export interface Pages {
  /** The page at a path; undefined where there is none. */
  find(path: string): Page | undefined;
}

// The page loads nothing from other hosts. Inline styles are allowed because the viewer sets them
// on its own elements.
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const html = 'text/html; charset=utf-8';
const css = 'text/css; charset=utf-8';
const script = 'text/javascript; charset=utf-8';
const json = 'application/json; charset=utf-8';

/**
 * Creates the pages that anybody can read without a key: health, metrics, the API document and its
 * viewer.
 */
export function createPages({
  metrics,
  readiness,
}: {
  metrics: Metrics | undefined;
  readiness: () => Promise<Readiness>;
}): Pages {
  const openApi = page(
    json,
    once(() => JSON.stringify(createOpenApi(contracts))),
  );
  const pages: Record<string, Page> = {
    '/livez': page(json, () => JSON.stringify({ status: 'alive' })),
    '/readyz': page(json, async () => {
      const { problem, missing } = await readiness();
      const details = missing.length === 0 ? {} : { missing };
      if (problem !== undefined)
        throw new Failure('SERVICE_UNAVAILABLE', problem, { details, retryAfterSeconds: 1 });
      return JSON.stringify({ status: 'ready', ...details });
    }),
    ...(metrics ? { '/metrics': page(metrics.contentType, metrics.text) } : {}),
    '/v2/openapi.json': openApi,
    '/api/v2/openapi.json': openApi,
    '/docs': docs(html, () => indexHtml('')),
    '/docs/': docs(html, () => indexHtml('../')),
    '/docs/page.css': docs(css, () => pageCss),
    '/docs/page.js': docs(script, () => pageScript),
    '/docs/viewer.css': docs(css, viewerFile('swagger-ui.css')),
    '/docs/viewer.js': docs(script, viewerFile('swagger-ui-bundle.js')),
  };
  return { find: (path) => (Object.hasOwn(pages, path) ? pages[path] : undefined) };
}

type Content = () => string | Buffer | Promise<string | Buffer>;

const page =
  (contentType: string, content: Content, headers: string[] = []): Page =>
  async ({ request, response, headers: common }) => {
    const body = await content();
    sendReply(request, response, 200, [...common, 'content-type', contentType, ...headers], body);
  };

const docs = (contentType: string, content: Content): Page =>
  page(contentType, content, ['content-security-policy', docsPolicy]);

/** A file of the viewer, read when it is first asked for. */
const viewerFile = (name: string): Content =>
  once(() =>
    readFileSync(
      join(
        dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')),
        'static',
        name,
      ),
    ),
  );

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
