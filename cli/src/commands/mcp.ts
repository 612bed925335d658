import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { consoleUrl } from '../connection.ts';
import { createMessenger } from '../messenger.ts';
import type { Context } from '../options.ts';

/** `assay mcp`: the Model Context Protocol over standard input and output, for agents. */
export function addMcp(program: Command, { terminal, connection }: Context): void {
  program
    .command('mcp')
    .description('Serve an agent over standard input and output (Model Context Protocol).')
    .option('--url <url>', 'where Assay is (default: ASSAY_URL, else the last login)')
    .option('--read-only', 'without the tools that write or spend')
    .action(async ({ url, readOnly }: { url?: string; readOnly?: true }) => {
      const server = await connection.findServer(url);
      const send = createMessenger({
        url: `${consoleUrl(server.url)}/mcp${readOnly ? '?tools=read' : ''}`,
        key: server.key,
        write: (message) => terminal.write(`${JSON.stringify(message)}\n`),
      });
      const underWay = new Set<Promise<void>>();
      for await (const line of createInterface({ input: process.stdin })) {
        if (line.trim() === '') continue;
        const sending: Promise<void> = send(line).finally(() => underWay.delete(sending));
        underWay.add(sending);
      }
      // The agent closed its end: its earlier requests are still answered.
      await Promise.all(underWay);
    });
}
