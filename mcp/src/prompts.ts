import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { label } from './marks.ts';

/** Adds the prompts that people choose from a menu. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    'review_this_run',
    {
      title: 'Review this run',
      description: 'Says how good a run is, what goes wrong in it, and what to do next.',
      argsSchema: z.object({ runId: z.string().max(256).describe('The id of the run.') }),
    },
    ({ runId }) =>
      asked(
        `Review the run ${label(runId)}: call run_status, then explain_failures for each metric that records fail, and get_record for two or three examples of each group. Say what the intervals allow to say and no more, name the three most frequent causes with links to records, and propose the next step.`,
      ),
  );
  server.registerPrompt(
    'write_a_judge',
    {
      title: 'Write a judge',
      description: 'Writes a judge for a quality, tries it on a run, and saves it when you agree.',
      argsSchema: z.object({
        quality: z.string().max(2000).describe('What a good answer is.'),
        runId: z.string().max(256).describe('A run whose records the judge is tried on.'),
      }),
    },
    ({ quality, runId }) =>
      asked(
        `Write a judge of the type ai and boolean for this quality: ${label(quality, 2000)}\nRead the resource assay://docs/first-judge first, and the fields of three records of the run ${label(runId)} by list_records. Save it by save_metric only after I have agreed. Then start_rescore with a small budget that I name, compare its scores with people's by metric_reliability, and try each correction with preview_metric before you save it.`,
      ),
  );
}

const asked = (text: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
});
