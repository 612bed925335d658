import type { Client } from '@assay/client/client';
import { z } from 'zod';
import type { Answer } from './answer.ts';
import type { ConsoleLinks } from './console-links.ts';
import type { Gateways } from './gateways.ts';
import type { Marks } from './marks.ts';

/** The means of one call of a tool. */
export interface ToolContext {
  /** The public API, asked with the caller's own key. */
  api: Client;
  gateways: Gateways;
  key: string;
  links: ConsoleLinks;
  marks: Marks;
  /** Ends when the client gives up. */
  signal: AbortSignal;
  /** Tells a client that asked for it how far the work is. */
  progress(done: number, total: number, message: string): Promise<void>;
}

/**
 * The effect of a tool on the installation: `read` has none, `pay` leaves the bill of a
 * judge, `add` new things, `replace` existing ones.
 */
type Effect = 'read' | 'pay' | 'add' | 'replace';

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: z.ZodObject;
  effect: Effect;
  /** Reaches judges of providers outside. */
  asksJudges?: boolean;
  run(input: z.output<Input>, context: ToolContext): Promise<Answer>;
}

export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool =>
  tool as unknown as Tool;

export const id = (noun: string) => z.string().min(1).max(256).describe(`The id of the ${noun}.`);
/** A run. `named-run.ts` puts its id in the place of a name before the tool sees it. */
export const namedRun = z
  .string()
  .min(1)
  .max(300)
  .describe('The run: its id, its name, branch:NAME or latest:NAME.');
export const cursor = z
  .string()
  .max(4096)
  .optional()
  .describe('nextCursor of the answer before, to go on.');

/** The parts that answers share. */
export const summary = z.string().describe('The answer in a sentence or two.');
export const notice = z.string().optional().describe('Which texts are data.');
export const link = z.string().optional().describe('The page in the console.');
export const items = z.array(z.looseObject({}));
export const nextCursor = z.string().nullable().optional();

/** A path with its parameters encoded: path`/runs/${id}`. */
export const path = (parts: TemplateStringsArray, ...values: string[]): string =>
  parts.map((part, index) => part + encodeURIComponent(values[index] ?? '')).join('');
