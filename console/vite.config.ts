import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { bundledLicenses } from '../scripts/bundled-licenses.mjs';

/** Where `npm run dev` finds the API: a gateway on this machine. */
const gateway = 'http://127.0.0.1:3000';

/**
 * Names the layers of styles in every sheet, in their order: browsers take the order from the sheet
 * that comes first, and which that is depends on how the pages are divided into files.
 */
const layers: Plugin = {
  name: 'layers',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('.css') ? `@layer tokens, base, parts, pages, overrides;\n${code}` : undefined,
};

/** The page asks for its face of text at once, and not when it has read its styles. */
const preloadFace: Plugin = {
  name: 'preload-face',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((file) => file.endsWith('.woff2'))
        .map((file) => ({
          tag: 'link',
          attrs: {
            rel: 'preload',
            as: 'font',
            type: 'font/woff2',
            crossorigin: true,
            href: `/${file}`,
          },
          injectTo: 'head',
        })),
  },
};

export default defineConfig({
  plugins: [layers, react(), preloadFace, bundledLicenses],
  // Prompts are text: without HTML, an editor of templates is a fifth smaller.
  resolve: {
    // The readers of files, and the client that sends them, are built from their sources.
    conditions: ['assay-source', ...defaultClientConditions],
    alias: {
      hysnappy: join(import.meta.dirname, 'src/pages/import/without-wasm.ts'),
      '@codemirror/lang-html': join(
        import.meta.dirname,
        'src/parts/editor/languages/plain-text.ts',
      ),
    },
  },
  worker: { format: 'es' },
  build: {
    target: 'es2023',
    // Budgets are checked by the tests, of what is sent.
    reportCompressedSize: false,
    // An inlined file would be refused by the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  experimental: {
    // The gateway writes its public path before the files that the page names; files name each other
    // by relative paths, so that the same build serves under any path.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `/${file}` : { relative: true }),
  },
  server: { proxy: { '/v2': gateway, '/docs': gateway } },
});
