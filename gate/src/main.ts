import { runGate } from './command.ts';

await runGate(process.argv.slice(2), { command: 'npm run gate --' });
