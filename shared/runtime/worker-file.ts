/**
 * Where a worker's code is, for Piscina: beside the module that asks. Compiled code names its compiled neighbour;
 * sources (tests, development) are loaded through tsx.
 */
export function workerFile(moduleUrl: string, source: `./${string}.ts`): { filename: string; execArgv?: string[] } {
  if (moduleUrl.endsWith('.ts')) return { filename: new URL(source, moduleUrl).href, execArgv: ['--import', 'tsx', '--conditions=source'] };
  return { filename: new URL(source.replace(/\.ts$/, '.js'), moduleUrl).href };
}
