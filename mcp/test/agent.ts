import type { Reply } from '@assay/testing/reply';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';

/** The official client, connected to `/mcp`. */
export interface Agent extends AsyncDisposable {
  client: Client;
  /** Calls a tool that must not fail; returns its structured answer. */
  call(name: string, args?: Record<string, unknown>): Promise<Reply['body']>;
  /** Calls a tool that must fail; returns the sentence. */
  fails(name: string, args?: Record<string, unknown>): Promise<string>;
}

interface AgentOptions {
  url: string;
  key: string;
  query?: string;
  headers?: Record<string, string>;
  /** `auto` takes the newest version of the protocol that both know. */
  mode?: 'legacy' | 'auto';
}

export async function connectAgent({
  url,
  key,
  query = '',
  headers = {},
  mode = 'legacy',
}: AgentOptions): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), {
      requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
    }),
  );
  return agentOf(client);
}

/** Estimates tokens as the service does: three bytes each. */
const tokensOf = (text: string) => Buffer.byteLength(text) / 3;

function agentOf(client: Client): Agent {
  return {
    client,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      const text = textOf(result);
      expect(result.isError ?? false, `${name}: ${text}`).toBe(false);
      expect(tokensOf(text), name).toBeLessThanOrEqual(name === 'overview' ? 4_000 : 6_000);
      expect(tokensOf(JSON.stringify(result.structuredContent)), name).toBeLessThanOrEqual(6_100);
      return result.structuredContent;
    },
    async fails(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      expect(result.isError, `${name}: ${textOf(result)}`).toBe(true);
      return textOf(result);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const textOf = ({ content }: { content: { type: string }[] }): string =>
  content.map((part) => ('text' in part ? String(part.text) : '')).join('\n');
