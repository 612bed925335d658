import { z } from 'zod';
import { fit, ToolFailure } from '../answer.ts';
import { label } from '../marks.ts';
import { defineTool, id, items, notice, summary } from '../tool.ts';

export const createTestcases = defineTool({
  name: 'create_testcases',
  title: 'Create testcases',
  description:
    "Adds testcases to a testset. Without `apply` it is a dry run: each is checked against the testset's schema, and nothing is stored. With apply: true all are stored, or none.",
  effect: 'add',
  input: z.object({
    testsetId: id('testset'),
    items: z
      .array(
        z.object({
          jsonData: z.record(z.string(), z.unknown()).describe("The testcase's fields."),
          key: z.string().min(1).max(255).optional().describe('Unique in the testset.'),
        }),
      )
      .min(1)
      .max(100),
    apply: z.boolean().default(false),
  }),
  output: z.object({ summary, notice, stored: z.boolean(), problems: items }),
  async run({ testsetId, items, apply }, { api, marks }) {
    const lines = items.map((item) => JSON.stringify(item));
    const answers = await api.sendLines('POST', '/testsets/:testsetId/testcases/import', lines, {
      params: { testsetId },
      query: { dryRun: 'true' },
    });
    const problems = answers.flatMap((answer, index) => {
      const found = answer.validationErrors ?? answer.details?.issues ?? [];
      const messages = found.map(({ path, message }) => `${path}: ${message}`);
      if (answer.status >= 400 && messages.length === 0) messages.push(answer.message ?? '');
      return messages.length === 0 ? [] : [{ index, isRefused: answer.status >= 400, messages }];
    });
    const refused = problems.filter(({ isRefused }) => isRefused).length;
    const first = problems.find(({ isRefused }) => isRefused);
    if (apply && first)
      throw new ToolFailure(
        `Nothing is stored, since ${refused} of ${items.length} testcases are refused: item ${first.index}, "${label(first.messages[0]!, 300)}". A dry run (without apply) lists all.`,
      );
    const stored = apply
      ? await api.request('POST', '/testsets/:testsetId/testcases', {
          params: { testsetId },
          body: { items },
        })
      : undefined;
    const invalid = problems.length - refused;
    return fit((characters) => ({
      summary: stored
        ? `${stored.items.length} testcases are stored${invalid > 0 ? `; ${invalid} of them do not fit the schema` : ''}.`
        : `Nothing is stored yet: ${items.length - problems.length} of ${items.length} testcases fit, ${invalid} do not fit the schema, ${refused} would be refused. Call it again with apply: true to store them.`,
      notice: marks.notice,
      stored: stored !== undefined,
      testcaseIds: stored?.items.map((item) => item.id),
      problems: problems.slice(0, 20).map(({ index, isRefused, messages }) => ({
        index,
        isRefused,
        messages: messages
          .slice(0, 3)
          .map((message) => marks.data(message, Math.min(characters, 300))),
      })),
    }));
  },
});
