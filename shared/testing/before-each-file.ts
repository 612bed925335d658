import fc from 'fast-check';
import { expect } from 'vitest';
import { endSharingBefore } from './sharing.ts';
import { volume } from './volume.ts';

// A setup file of vitest, which runs before each file of tests.

// How often a property is tried that states no number of its own.
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: volume(100) });

await endSharingBefore(expect.getState().testPath!);
