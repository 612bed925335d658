import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/**
 * Writes the licences of all packages that were bundled, as these ask for, into one file.
 * @throws an error where a package has none.
 */
const licences: Plugin = {
  name: 'licences',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? file.moduleIds : [],
    );
    const folders = new Set(
      modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []),
    );
    const texts = [...folders]
      .map((folder) => {
        const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
        if (!file) throw new Error(`${name} has no licence: it cannot be bundled.`);
        return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
      })
      .sort();
    const source = texts.join(`\n${'-'.repeat(80)}\n\n`);
    this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source });
  },
};

/**
 * Bundles the package, and the command line in it, with all that they use of the repository, so
 * that it has no dependencies. It is left readable: it runs on its users' machines.
 */
export default defineConfig({
  plugins: [licences],
  ssr: { noExternal: true, external: ['vitest'] },
  build: {
    ssr: true,
    target: 'node20',
    minify: false,
    outDir: 'dist/bundle',
    rollupOptions: {
      input: { index: 'src/index.ts', vitest: 'src/vitest.ts', cli: '../../cli/src/main.ts' },
      output: { entryFileNames: '[name].js', chunkFileNames: 'shared-[name].js' },
    },
  },
});
