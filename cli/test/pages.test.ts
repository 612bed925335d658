import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { promptfoo } from './promptfoo.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let assay: SharedInstallation;
let folder: string;

beforeAll(async () => {
  assay = await shareInstallation();
  folder = await mkdtemp(join(tmpdir(), 'assay-pages-'));
  await mkdir(join(folder, 'langfuse'));
  await write('assay', `#!/bin/sh\nexec node '${join(root, 'cli/dist/main.js')}' "$@"\n`);
  await chmod(join(folder, 'assay'), 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const write = (name: string, content: string | object): Promise<void> =>
  writeFile(
    join(folder, name),
    typeof content === 'string' ? content : `${JSON.stringify(content)}\n`,
  );

/** What the commands of a page print, pasted into bash one after the other. */
async function printedBy(page: string): Promise<string> {
  const text = await readFile(join(root, 'docs', page), 'utf8');
  const commands = [...text.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  const { PATH = '' } = process.env;
  const shell = spawn('bash', ['-e'], {
    cwd: folder,
    env: {
      PATH: `${folder}:${PATH}`,
      XDG_CONFIG_HOME: folder,
      ASSAY_URL: assay.url,
      ASSAY_API_KEY: assay.key,
    },
  });
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk) => (printed += chunk));
  shell.stdin.end(commands.join(''));
  const [exitCode] = await once(shell, 'close');
  expect(exitCode, printed).toBe(0);
  return printed;
}

test('the commands of "From promptfoo" carry a config with its checks, and results with their runs', async () => {
  await write(
    'promptfooconfig.yaml',
    `description: Questions
prompts: ['Answer: {{question}}']
providers: [openai:gpt-4o-mini]
tests:
  - vars: { question: Italy? }
    assert: [{ type: icontains, value: Rome, metric: Right city }, { type: llm-rubric, value: Be polite., metric: Polite }]
`,
  );
  await write('results.json', promptfoo(3));
  const printed = await printedBy('from-promptfoo.md');
  expect(printed).toContain('Metric "Right city": new\nMetric "Polite": new\n');
  expect(printed).toMatch(/Run "model-0.*": new; records: 3 new; scores: 6/);
  expect(printed).toMatch(/ model-1 .* completed +3\/3/);
});

test('the commands of "From Langfuse" carry a dataset, and a run with its traces and scores', async () => {
  const item = {
    id: 'item-1',
    datasetName: 'Questions',
    input: { question: 'Italy?' },
    expectedOutput: { city: 'Rome' },
    status: 'ACTIVE',
  };
  const runItem = { datasetRunName: 'first', datasetItemId: 'item-1', traceId: 'trace-1' };
  const trace = { id: 'trace-1', name: 'bot', input: item.input, output: { answer: 'Rome' } };
  const score = {
    id: 'score-1',
    traceId: 'trace-1',
    name: 'tone',
    value: 1,
    stringValue: 'good',
    dataType: 'CATEGORICAL',
  };
  await write('dataset-items.jsonl', item);
  await write('langfuse/items.json', { data: [item] });
  await write('langfuse/run.json', { name: 'first', datasetRunItems: [runItem] });
  await write('langfuse/traces.json', { data: [trace] });
  await write('langfuse/scores.json', { data: [score] });
  const printed = await printedBy('from-langfuse.md');
  expect(printed).toContain('Testset "Questions": there already; testcases: 1 unchanged');
  expect(printed).toContain('Metric "tone": new');
  expect(printed).toContain('Run "first": new; records: 1 new; scores: 1');
});
