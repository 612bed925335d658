import { defineConfig } from 'vite';
import { bundledLicenses } from '../../scripts/bundled-licenses.mjs';

/**
 * Bundles the package, and the command line in it, with all that they use of the repository, so
 * that it has no dependencies. It is left readable: it runs on its users' machines.
 */
export default defineConfig({
  plugins: [bundledLicenses],
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
