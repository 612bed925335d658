import { runAssay } from '../assay.ts';

await runAssay(['gate', ...process.argv.slice(2)]);
