import { writeJson } from '@assay/json/write';
import type { CallToolResult } from '@modelcontextprotocol/server';

/** The answer of a tool: `summary` first, then figures and data by name. */
export interface Answer {
  summary: string;
  [name: string]: unknown;
}

/** A token of a model is at least about three bytes of JSON in UTF-8: this estimate is too high. */
const bytesPerToken = 3;

const tokensMax = 6_000;

const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken);

/** Characters of one text that are tried in turn, until the whole answer is small enough. */
const textSizes = [2_000, 1_000, 500, 250, 120, 60, 20];

/**
 * Builds an answer with texts as long as fit in so many tokens. Lists are bounded by the tools, so
 * that the shortest texts fit.
 * @throws ToolFailure where they do not.
 */
export function fit(build: (charactersMax: number) => Answer, tokens = tokensMax): Answer {
  for (const size of textSizes) {
    const answer = build(size);
    if (tokensOf(textOf(answer)) <= tokens) return answer;
  }
  throw new ToolFailure('This is too much for one answer: ask for fewer items.');
}

/** The answer for clients that read text: the summary, then the rest as JSON. */
function textOf({ summary, ...rest }: Answer): string {
  return Object.keys(rest).length === 0 ? summary : `${summary}\n${writeJson(rest)}`;
}

export const toResult = (answer: Answer): CallToolResult => ({
  content: [{ type: 'text', text: textOf(answer) }],
  structuredContent: answer,
});

export const toErrorResult = (sentence: string): CallToolResult => ({
  content: [{ type: 'text', text: sentence }],
  isError: true,
});

/** A call that cannot be done as it was made; the sentence is for the model. */
export class ToolFailure extends Error {
  override name = 'ToolFailure';
}
