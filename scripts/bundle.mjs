// `node scripts/bundle.mjs`: bundles every program, and the worker threads that they start, into
// dist/bundle. They share their chunks, so that one pass makes them all. A bundle is as deep below
// the root as `src` and `dist` of most packages, and so finds the documents of the repository by the
// same relative paths.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { bundledLicenses } from './bundled-licenses.mjs';
import { root } from './prepare.mjs';
import { programsIn } from './programs.mjs';

/** Packages that stay packages beside the bundle. */
const outside = new RegExp(
  `^(?:${[
    // Instrumentations hook the driver as it loads, and share the API.
    'mongodb',
    '@opentelemetry/[^/]+',
    // It starts a file of its own as a thread.
    'piscina',
    // The child of the sandbox may read the folders of these alone.
    'sucrase',
    'quickjs-emscripten-core',
    '@jitl/[^/]+',
    // Loaded when a judge is first asked.
    '@ai-sdk/[^/]+',
    // They come without the text of their licence.
    '@bufbuild/protobuf',
    'abstract-logging',
  ].join('|')})(?=/|$)`,
);

/** How a module names a file beside it that it starts: a worker thread, or a child process. */
const startedFile = /'(?:\.\/)?([\w-]+-(?:worker|child))(?:\.js)?'/g;

const shared = {
  platform: 'node',
  tsconfig: false,
  resolve: { conditionNames: ['assay-source', 'node'] },
  onLog: (_level, { message }) => {
    throw new Error(message);
  },
};

/** Bundles the programs, sources by name, of the repository in `folder`. */
export async function bundlePrograms({ folder, programs }) {
  const input = Object.fromEntries(
    Object.entries(programs).map(([name, source]) => [name, join(folder, source)]),
  );
  const bundle = await rolldown({ ...shared, input, plugins: [parts(folder), bundledLicenses] });
  // Put in place when it is whole: programs may be started from the one before until then.
  const target = join(folder, 'dist/bundle');
  const dir = `${target}.${process.pid}`;
  try {
    mkdirSync(dir, { recursive: true });
    await bundle.write({
      dir,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      keepNames: true,
    });
    replace({ target, by: dir });
  } finally {
    rmSync(dir, { recursive: true, force: true });
    await bundle.close();
  }
}

/** How long the chunks of an earlier bundle stay. */
const staleMs = 7 * 24 * 3_600_000;

/**
 * Puts the files of a bundle in the place of another's: chunks before the programs that load them.
 * A program that was started before may still load its own chunks, whose names have a hash: those
 * go after a week.
 */
function replace({ target, by }) {
  mkdirSync(target, { recursive: true });
  const made = readdirSync(by);
  const isChunk = (name) => /-[\w-]{8}\.js$/.test(name);
  for (const name of [...made.filter(isChunk), ...made.filter((each) => !isChunk(each))])
    renameSync(join(by, name), join(target, name));
  for (const name of readdirSync(target).filter((each) => !made.includes(each))) {
    const file = join(target, name);
    if (!isChunk(name) || statSync(file).mtimeMs < Date.now() - staleMs) rmSync(file);
  }
}

/**
 * Keeps packages outside, and adds the files that modules start. Writes `parts.json`: the other
 * files and the packages that each file needs, of which an image is made.
 */
function parts(folder) {
  /** By the path of a module. */
  const packagesOf = new Map();
  const startedBy = new Map();
  const add = (map, key, value) => map.set(key, (map.get(key) ?? new Set()).add(value));
  const allOf = (map, modules) => modules.flatMap((id) => [...(map.get(id) ?? [])]);

  return {
    name: 'parts',
    resolveId: {
      filter: { id: outside },
      handler(id, importer) {
        add(packagesOf, importer, outside.exec(id)[0]);
        return { id, external: true };
      },
    },
    transform: {
      filter: { id: { exclude: /\/node_modules\// }, code: startedFile },
      async handler(code, module) {
        for (const [, name] of code.matchAll(startedFile)) {
          const id = join(dirname(module), `${name}.ts`);
          if (!existsSync(id)) continue;
          const fileName = `${name}.js`;
          add(startedBy, module, fileName);
          if (name.endsWith('-worker')) {
            this.emitFile({ type: 'chunk', id, fileName });
          } else {
            const { code: source, packages } = await bundleChild(id);
            this.emitFile({ type: 'asset', fileName, source });
            for (const each of packages) add(packagesOf, module, each);
          }
        }
      },
    },
    generateBundle(_options, bundle) {
      const isChunk = (name) => name in bundle;
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
      const needs = chunks.map(({ fileName, imports, dynamicImports, moduleIds }) => [
        fileName,
        {
          files: [
            ...[...imports, ...dynamicImports].filter(isChunk),
            ...allOf(startedBy, moduleIds),
          ],
          packages: [...new Set(allOf(packagesOf, moduleIds))].sort(),
        },
      ]);
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const emit = (fileName, content) =>
        this.emitFile({
          type: 'asset',
          fileName,
          source: `${JSON.stringify(content, null, 2)}\n`,
        });
      emit('parts.json', Object.fromEntries(needs));
      emit('package.json', { name: 'assay', version, private: true, type: 'module' });
    },
  };
}

/** A child's text is handed to node by itself: it imports packages, and no chunk. */
async function bundleChild(input) {
  const bundle = await rolldown({ ...shared, input, external: outside });
  const { output } = await bundle.generate();
  await bundle.close();
  const [{ code, imports }] = output;
  return { code, packages: imports.flatMap((name) => outside.exec(name)?.[0] ?? []) };
}

if (process.argv[1] === import.meta.filename)
  await bundlePrograms({ folder: root, programs: programsIn(root) });
