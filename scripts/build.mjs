// The first thing that vitest does: it builds what worker threads and separate processes run. That
// takes half a second where nothing has changed.
import { build } from './prepare.mjs';

export default async function buildEverything() {
  const { passed, output } = await build();
  if (!passed) throw new Error(`The build failed:\n${output}`);
}
