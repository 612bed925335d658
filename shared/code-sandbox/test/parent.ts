// A process with a sandbox, for tests that count the processes below it or kill it. It answers each line that it gets with one.
import { createInterface } from 'node:readline';
import { createCodeSandbox } from '../sandbox.ts';
import { toBytes } from './parts.ts';

const [language, bubblewrapPath, timeoutMs] = process.argv.slice(2) as ['javascript' | 'python', string, string];
const sandbox = createCodeSandbox({ bubblewrapPath, withoutWall: true, timeoutMs: Number(timeoutMs) });
const sources = {
  javascript: { good: 'const evaluate = () => 6', endless: 'for (;;);' },
  python: { good: 'def evaluate(record):\n    return 6', endless: 'while True: pass' },
}[language];
const evaluate = (source: string) => sandbox.evaluate({ code: { language, source }, ...toBytes({}) });
let endless: Promise<unknown> = Promise.resolve();

const commands: Record<string, () => unknown> = {
  evaluate: async () => {
    const outcome = await evaluate(sources.good);
    return outcome.ok ? outcome.value : outcome.message;
  },
  hang: () => {
    endless = evaluate(sources.endless).catch((error: Error) => error.message);
    return 'begun';
  },
  close: async () => {
    await sandbox.close();
    return endless;
  },
};

createInterface(process.stdin).on('line', async (line) => console.log(await commands[line]!()));
