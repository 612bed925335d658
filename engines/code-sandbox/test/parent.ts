// A process with a sandbox, for tests that count the processes below it or kill it. It answers each
// line that it gets with one.
import { createInterface } from 'node:readline';
import { createCodeSandbox } from '../sandbox.ts';
import { toBytes } from './parts.ts';

const [language, bubblewrapPath, timeoutMs] = process.argv.slice(2) as [
  'javascript' | 'python',
  string,
  string,
];
const sandbox = createCodeSandbox({
  bubblewrapPath,
  withoutWall: true,
  timeoutMs: Number(timeoutMs),
});
const sources = {
  javascript: { good: 'const evaluate = () => 6', endless: 'for (;;);' },
  python: { good: 'def evaluate(record):\n    return 6', endless: 'while True: pass' },
}[language];
/** It takes about a tenth of a second of processor time. */
const long = 'function evaluate() { for (let count = 0; count < 3e5; count++); return 6; }';
const evaluate = (source: string) =>
  sandbox.evaluate({ code: { language, source }, ...toBytes({}) });
async function answerTo(source: string): Promise<unknown> {
  try {
    const outcome = await evaluate(source);
    return outcome.ok ? outcome.value : outcome.message;
  } catch (error) {
    return (error as Error).message;
  }
}
let endless: Promise<unknown> = Promise.resolve();

const commands: Record<string, () => unknown> = {
  evaluate: () => answerTo(sources.good),
  'evaluate long': () => answerTo(long),
  hang: () => {
    endless = answerTo(sources.endless);
    return 'begun';
  },
  close: async () => {
    await sandbox.close();
    return endless;
  },
};

createInterface(process.stdin).on('line', async (line) => console.log(await commands[line]!()));
