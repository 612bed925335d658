import { contracts } from '@assay/contracts/all';
import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { createOpenApi } from './openapi.ts';
import { bases } from './routing.ts';

/** Serves the API document and its viewer, which anybody can read without a key. */
export function serveDocs(app: FastifyInstance, publicPath: string): void {
  void app.register(async (docs) => {
    const document = once(() => createOpenApi(contracts, publicPath));
    const text = once(() => JSON.stringify(document()));
    await docs.register(compress);
    for (const base of bases)
      docs.get(`${base}/openapi.json`, (_request, reply) =>
        reply.type('application/json; charset=utf-8').send(text()),
      );
    await docs.register(async (viewer) => {
      await viewer.register(helmet, protection);
      await viewer.register(swagger, { mode: 'static', specification: { document: {} as never } });
      await viewer.register(swaggerUi, {
        routePrefix: '/docs',
        // Made when it is first asked for: that takes longer than the rest of a start.
        transformSpecification: () => document() as never,
        transformSpecificationClone: false,
        uiHooks: { onRequest: withSlash },
        uiConfig: {
          layout: 'BaseLayout',
          docExpansion: 'list',
          defaultModelsExpandDepth: 0,
          displayRequestDuration: true,
          filter: true,
        },
        theme: { title: 'Assay API', css: [{ filename: 'assay.css', content: colours }] },
      });
    });
  });
}

/**
 * The viewer loads nothing from other hosts. Inline styles are allowed because it sets them on its
 * own elements.
 */
const protection = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  // Left to the proxy that terminates TLS.
  strictTransportSecurity: false,
};

/** The page names its files from `/docs/`, so that any prefix may stand before it. */
function withSlash(
  request: { url: string },
  reply: { redirect(url: string): unknown },
  done: () => void,
): void {
  if (request.url.split('?', 1)[0] === '/docs') reply.redirect('docs/');
  else done();
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const colours = `:root { color-scheme: light; --ink: #16202c; --line: #dde3ea; --accent: #0b6e6e; }
body { margin: 0; background: #fff; color: var(--ink); font-family: system-ui, sans-serif; }
#swagger-ui::before { content: 'Assay · API reference'; position: sticky; top: 0; z-index: 2; display: block;
  padding: 0.75rem 1.5rem; background: var(--ink); color: #fff; font-weight: 600; letter-spacing: 0.02em; }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description { font-family: inherit; }
.swagger-ui .wrapper { max-width: 1180px; }
.swagger-ui .info { margin: 1.75rem 0 1rem; }
.swagger-ui .info .title { color: var(--ink); font-size: 1.9rem; }
.swagger-ui .scheme-container { box-shadow: none; border-bottom: 1px solid var(--line); padding: 0.75rem 0; }
.swagger-ui .opblock-tag { border-bottom-color: var(--line); }
.swagger-ui .opblock { box-shadow: none; border-radius: 6px; }
.swagger-ui .opblock .opblock-summary-method { border-radius: 4px; min-width: 76px; text-shadow: none; }
.swagger-ui .btn.authorize { border-color: var(--accent); color: var(--accent); }
.swagger-ui .btn.authorize svg { fill: var(--accent); }
`;
