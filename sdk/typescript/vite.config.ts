import { defineConfig } from 'vite';

/**
 * Bundles the package with all that it uses of the repository, so that it has no dependencies. It
 * is left readable: it runs on its users' machines.
 */
export default defineConfig({
  ssr: { noExternal: true, external: ['vitest'] },
  build: {
    ssr: true,
    target: 'node20',
    minify: false,
    outDir: 'dist/bundle',
    rollupOptions: {
      input: { index: 'src/index.ts', vitest: 'src/vitest.ts' },
      output: { entryFileNames: '[name].js', chunkFileNames: 'shared.js' },
    },
  },
});
