import { writeJson } from '@assay/json/write';
import { type McpServer, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import type { Answer } from './answer.ts';
import type { Document } from './documents.ts';
import type { ToolContext } from './tool.ts';
import { getRecord } from './tools/records.ts';
import { runStatus } from './tools/runs.ts';

interface ResourcesOptions {
  documents: Document[];
  contextOf: (context: ServerContext) => ToolContext;
}

/** Adds runs, records and the documentation as resources; a URI of the first two has an id. */
export function addResources(server: McpServer, { documents, contextOf }: ResourcesOptions): void {
  const json = (uri: URL, answer: Answer) => ({
    contents: [{ uri: uri.href, mimeType: 'application/json', text: writeJson(answer) }],
  });
  server.registerResource(
    'run',
    new ResourceTemplate('assay://run/{id}', { list: undefined }),
    { title: 'A run', description: 'Status, accounts and summary.', mimeType: 'application/json' },
    async (uri, { id }, context) =>
      json(uri, await runStatus.run({ runId: String(id) }, contextOf(context))),
  );
  server.registerResource(
    'record',
    new ResourceTemplate('assay://record/{id}', { list: undefined }),
    { title: 'A record', description: 'Payloads and scores.', mimeType: 'application/json' },
    async (uri, { id }, context) =>
      json(uri, await getRecord.run({ recordId: String(id) }, contextOf(context))),
  );
  for (const { name, title, text } of documents)
    server.registerResource(
      name,
      `assay://docs/${name}`,
      { title, mimeType: 'text/markdown' },
      (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] }),
    );
}
