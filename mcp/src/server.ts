import { processConfig, publicUrl, serviceUrls } from '@assay/runtime/config';
import { answerMetrics, createApplication, listen } from '@assay/runtime/http/application';
import { failureReply, toFailure } from '@assay/runtime/http/failures';
import { answerHealth, createReadiness } from '@assay/runtime/http/health';
import { type Log, logReady, openLog } from '@assay/runtime/log';
import { createMetrics } from '@assay/runtime/metrics';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { createAssayServer } from './assay.ts';
import { readDocuments } from './documents.ts';
import { createGateways } from './gateways.ts';

const { HOST, PORT, LOG_LEVEL, ASSAY_REVISION, STOP_TIMEOUT_MS } = processConfig;

/** The environment variables of this process, which has no secret, no bus and no database. */
export const mcpConfig = {
  HOST,
  PORT,
  LOG_LEVEL,
  ASSAY_REVISION,
  STOP_TIMEOUT_MS,
  /** The gateways, whose public API the tools call with the caller's own key. */
  GATEWAY_URL: serviceUrls,
  /** The base path of the API as clients reach it: links to the console begin like it. */
  PUBLIC_URL: publicUrl.optional(),
};

export type McpConfig = Omit<z.output<z.ZodObject<typeof mcpConfig>>, 'STOP_TIMEOUT_MS'>;

/** Messages of the protocol are small; the gateway refuses larger ones already. */
const messageBytesMax = 256 * 1024;

/** Serves the Model Context Protocol to agents: stateless, each request by a server of its own. */
export async function start(config: McpConfig, shared?: Log) {
  const log = openLog({ name: 'mcp', config, shared });
  const gateways = createGateways(config.GATEWAY_URL);
  const serve = createAssayServer({
    gateways,
    consoleUrl: (config.PUBLIC_URL ?? gateways.apiUrl).replace(/(\/api)?\/v2$/, ''),
    documents: readDocuments(),
    log,
  });
  const onerror = (error: Error) => log.debug({ err: error }, 'a message was not served');
  const messages = createMcpHandler(
    ({ requestInfo }) =>
      serve({
        authorization: requestInfo?.headers.get('authorization') ?? '',
        readsOnly: new URL(requestInfo!.url).searchParams.get('tools') === 'read',
      }),
    { onerror, maxRequestBodySize: messageBytesMax },
  );
  const handle = toNodeHandler(messages, { onerror, maxRequestBodySize: messageBytesMax });

  const app = createApplication({
    fail: (request, reply, error) => {
      const { status, headers, body } = failureReply(toFailure(error, request));
      void reply.code(status).headers(headers).send(body);
    },
  });
  // The protocol's own handler reads the body.
  app.addContentTypeParser('*', (_request: unknown, _body: unknown, done: (e: null) => void) =>
    done(null),
  );
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      reply.hijack();
      await handle(request.raw, reply.raw as never);
    },
  });
  const metrics = createMetrics({ service: 'mcp', revision: config.ASSAY_REVISION });
  const readiness = createReadiness();
  const dependencies = { gateway: gateways.problem };
  answerHealth(app, { readiness, dependencies, metrics });
  answerMetrics(app, metrics);
  const url = await listen(app, { host: config.HOST, port: config.PORT });
  readiness.become('ready');
  logReady(log, { url, config });
  return {
    url,
    stop: async () => {
      readiness.become('stopping');
      await messages.close();
      await app.close();
    },
  };
}
