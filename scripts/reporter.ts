import type { Reporter, TestModule } from 'vitest/node';
import { volumeShare } from '../shared/testing/volume.ts';

/**
 * Ends every run with the volume that was tested and `N passed, N failed`, and sends the counts to the process that started it
 * (scripts/test.mjs).
 */
export default function createReporter(): Reporter {
  return {
    onTestRunEnd: (modules, unhandledErrors) => {
      const counts = { passed: 0, failed: unhandledErrors.length };
      for (const module of modules) {
        counts.passed += [...module.children.allTests('passed')].length;
        counts.failed += failuresOf(module);
      }
      process.stdout.write(`\n${volumeSentence}\n`);
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`);
      process.send?.(counts);
    },
  };
}

const volumeSentence =
  volumeShare === 1
    ? 'Volume: the whole of each load.'
    : `Volume: ${volumeShare * 100} % of each load. ASSAY_TEST_VOLUME=1, which \`npm run ci\` sets, tests the whole.`;

/** Counts failed tests, and failures around them: a file that does not load, or a hook. */
function failuresOf(module: TestModule): number {
  const around = [module, ...module.children.allSuites()].reduce(
    (count, suite) => count + suite.errors().length,
    0,
  );
  return [...module.children.allTests('failed')].length + around;
}
