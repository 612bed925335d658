#!/usr/bin/env node
import { runAssay } from './assay.ts';

await runAssay(process.argv.slice(2));
