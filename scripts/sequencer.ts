import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Folders whose tests wait most, for processes and browsers, or share an installation, first. All
 * others come after.
 */
const waiting = [
  '/test/faults/',
  '/test/system/',
  '/test/console/',
  '/test/pages/',
  '/cli/test/',
  '/mcp/test/',
  '/examples/test/',
  '/gateway/test/',
  '/local/test/',
];

/**
 * Begins with the tests that wait, so that the others fill the processor meanwhile, and ends with
 * short ones, so that no process is left alone with a long file. Vitest's own order, which knows how
 * long each file took the last time, holds within a folder.
 */
export default class WaitingFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = waiting.findIndex((folder) => moduleId.includes(folder));
  return rank === -1 ? waiting.length : rank;
}
