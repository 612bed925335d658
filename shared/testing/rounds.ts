import fc from 'fast-check';
import { volume } from './volume.ts';

// A setup file of vitest: how often a property is tried that states no number of its own.
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: volume(100) });
