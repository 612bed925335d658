import { posix } from 'node:path';
import { type Import, resolveImport, type SourceFile } from './imports.ts';

/**
 * What one kind of file may reach: other kinds, and packages. What is under `types` may be imported
 * as types only.
 */
interface Reach {
  layers: string[];
  layerTypes: string[];
  packages: RegExp[];
  packageTypes: RegExp[];
}

/** Reading, comparing and writing of JSON, which reaches nothing. */
const json = /^@assay\/json\/[a-z-]+$/;
/** The parts of the contracts that name no service, and the table of rights, which the runtime holds. */
const language =
  /^@assay\/contracts\/(body-shape|define|erasure|failure|fields|page|payload|permissions|preview|version)$/;
const contracts = /^@assay\/contracts\/[a-z-]+$/;
const runtime = (...modules: string[]) => new RegExp(`^@assay/runtime/(${modules.join('|')})$`);
const builtIns = (...modules: string[]) => new RegExp(`^node:(${modules.join('|')})$`);

/**
 * The arrows of design section 2 inside a service: main → service → { routes, bus, domain, store };
 * routes, bus → domain.
 */
const layers: Record<string, Reach> = {
  main: {
    layers: ['service', 'config'],
    layerTypes: [],
    packages: [runtime('config', 'run')],
    packageTypes: [],
  },
  config: {
    layers: [],
    layerTypes: [],
    packages: [runtime('config', 'http/proxy-url'), /^zod$/],
    packageTypes: [],
  },
  service: {
    layers: ['routes', 'bus', 'domain', 'store', 'migrations', 'adapter', 'config'],
    layerTypes: [],
    packages: [
      contracts,
      runtime(
        'concurrency/workers',
        'concurrency/due-work',
        'concurrency/fair-semaphore',
        'concurrency/guard-item',
        'concurrency/organization-context',
        'concurrency/until-suspended',
        'config',
        'http/client',
        'ids',
        'log',
        'mongo/disk-reserve',
        'mongo/purge',
        'organization-limits',
        'organization-suspensions',
        'service',
        'signature',
      ),
      /^@assay\/(json-schema\/schema|evaluators\/(check|describe|evaluate)|otlp\/reply|prompt-template\/check|judge-templates\/describe|code-sandbox\/sandbox)$/,
      /^zod$/,
    ],
    packageTypes: [],
  },
  routes: { layers: [], layerTypes: ['domain'], packages: [contracts], packageTypes: [] },
  bus: {
    layers: [],
    layerTypes: ['domain'],
    packages: [contracts, runtime('bus/bus', 'bus/streams', 'bus/subjects')],
    packageTypes: [],
  },
  // A field that accounts are the rule of is filled in by that rule.
  migrations: {
    layers: ['accounts', 'migrations'],
    layerTypes: [],
    // A text is cut as the contract cuts it, so that what is migrated can be imported.
    packages: [/^@assay\/contracts\/cut-text$/],
    packageTypes: [runtime('mongo/database', 'mongo/migrations')],
  },
  // The rules compute and reach nothing: what they need of the outside is given to them, and known
  // by its type.
  domain: {
    layers: ['domain', 'accounts'],
    layerTypes: ['store', 'adapter'],
    packages: [
      contracts,
      json,
      runtime(
        'api-key',
        'concurrency/batch-loader',
        'concurrency/event-loop',
        'concurrency/fair-semaphore',
        'concurrency/guard-item',
        'concurrency/maybe-async',
        'concurrency/single-flight',
        'download-address',
        'http/address',
        'http/body',
        'http/chunks',
        'http/failures',
        'http/issues',
        'http/lines',
        'http/serialize',
        'json/hash',
        'json/preview',
        'mongo/within-bytes',
        'sign-in-link',
        'signature',
        'uploads/line-reader',
        'uploads/parse-entry',
        'uploads/pipeline',
        'uploads/read-lines',
        'uploads/read-to-end',
        'uploads/splitters',
      ),
      /^@assay\/(comparison\/(figures|sentence)|json-schema\/(keys|member-text)|evaluators\/(evaluate|aggregate|ratings|value)|judge-templates\/adopt|statistics\/[a-z-]+)$/,
      /^@assay\/(otlp|span-reading|text-search)\/[a-z/-]+$/,
      builtIns('buffer', 'crypto', 'util', 'zlib'),
      /^csv-(parse|stringify)\/sync$/,
      /^(hyparquet-writer|lru-cache)$/,
    ],
    packageTypes: [
      /^zod$/,
      runtime(
        'concurrency/until-suspended',
        'concurrency/workers',
        'http/client',
        'keys',
        'mongo/disk-reserve',
        'organization-limits',
      ),
      /^@assay\/(json-schema|evaluators|code-sandbox|prompt-template)\//,
    ],
  },
  accounts: {
    layers: ['accounts'],
    layerTypes: [],
    packages: [contracts, /^@assay\/evaluators\/(aggregate|ratings|value)$/],
    packageTypes: [],
  },
  store: {
    layers: ['store', 'accounts'],
    layerTypes: ['domain', 'adapter'],
    packages: [
      contracts,
      runtime(
        'concurrency/event-loop',
        'concurrency/fair-semaphore',
        'concurrency/fair-share',
        'concurrency/group-commit',
        'concurrency/maybe-async',
        'concurrency/organization-context',
        'http/idempotency',
        'ids',
        'mongo/arriving',
        'mongo/database',
        'mongo/errors',
        'mongo/find-mentioning',
        'mongo/find-named',
        'mongo/first-answers',
        'mongo/move-authors',
        'mongo/organizations-with',
        'mongo/page',
        'mongo/project-lock',
        'mongo/within-bytes',
      ),
      /^@assay\/text-search\//,
      builtIns('crypto'),
      /^mongodb$/,
    ],
    packageTypes: [],
  },
  // The way to something outside that is neither the bus nor the database, or work that goes on by
  // itself.
  adapter: {
    layers: ['adapter', 'domain', 'config'],
    layerTypes: ['store'],
    packages: [
      contracts,
      runtime(
        'concurrency/due-work',
        'concurrency/organization-context',
        'concurrency/repeated',
        'http/proxies',
        'signature',
      ),
      /^@assay\/json\/(check|scan)$/,
      builtIns(
        'crypto',
        'dns',
        'fs',
        'fs/promises',
        'net',
        'path',
        'stream',
        'stream/promises',
        'timers/promises',
      ),
      /^(aws4fetch|ajv|ai|undici|@ai-sdk\/.*)$/,
    ],
    packageTypes: [runtime('bus/streams', 'keys', 'log', 'metrics', 'organization-suspensions')],
  },
  // The entry of a worker thread.
  worker: {
    layers: ['domain'],
    layerTypes: [],
    packages: [
      runtime('concurrency/guard-item', 'concurrency/worker-task'),
      /^@assay\/(evaluators\/evaluate|prompt-template\/render|json\/parse)$/,
      builtIns('crypto'),
    ],
    packageTypes: [],
  },
};

/** Files beside the usual ones that are no rules of the domain. */
const adapters = [
  'run-records/run-expiry',
  'run-records/scoring-jobs',
  'scoring/judges',
  'scoring/pairwise-jobs',
  'sessions/storage',
  'sessions/sweep',
  'testcases/deletions',
];

/**
 * The rules of counting, on which both the domain and the store of run-records stand: a record's
 * account is counted in the transaction that stores it.
 */
const ground = /^services\/run-records\/src\/domain\/accounts\//;

/**
 * Which layer a file of a service is of. Anything without a place of its own is held to the
 * strictest: the domain's.
 */
function layerOf(path: string): { service: string; layer: string } | undefined {
  const [, service, name] = /^services\/([^/]+)\/src\/([^/]+?)(?:\.ts|\/.*)$/.exec(path) ?? [];
  if (!service || !name) return undefined;
  if (ground.test(path)) return { service, layer: 'accounts' };
  if (adapters.includes(`${service}/${name}`)) return { service, layer: 'adapter' };
  if (name.endsWith('-worker')) return { service, layer: 'worker' };
  return { service, layer: name in layers ? name : 'domain' };
}

/** Imports inside a service that go against its arrows. */
export function againstTheLayers(files: SourceFile[]): string[] {
  return files.flatMap((file) => {
    const from = layerOf(file.path);
    return from
      ? file.imports
          .filter((wanted) => !mayImport(file.path, layers[from.layer]!, wanted))
          .map((wanted) => arrow(file, wanted))
      : [];
  });
}

function mayImport(path: string, reach: Reach, { specifier, isTypeOnly }: Import): boolean {
  const target = resolveImport(path, specifier);
  if (target === undefined)
    return [...reach.packages, ...(isTypeOnly ? reach.packageTypes : [])].some((pattern) =>
      pattern.test(specifier),
    );
  const [from, to] = [layerOf(path), layerOf(target)];
  return (
    to?.service === from?.service &&
    [...reach.layers, ...(isTypeOnly ? reach.layerTypes : [])].includes(to?.layer ?? '')
  );
}

const arrow = ({ path }: SourceFile, { specifier }: Import): string =>
  `${path} → ${resolveImport(path, specifier) ?? specifier}`;

export const isTest = (path: string): boolean => /(^|\/)test\//.test(path);

/** Where each package may reach among the others, and what else `contracts` may import. */
const packageArrows: [RegExp, RegExp][] = [
  [/^shared\/json\//, /^$/],
  // Rules of numbers and of texts alone, which run in browsers and in the published package, too.
  [/^shared\/contracts\/(name-words|scale|spreadsheet-text)\.ts$/, /^$/],
  [/^shared\/contracts\//, new RegExp(`^zod$|${json.source}`)],
  [/^shared\/runtime\//, new RegExp(`${language.source}|${json.source}|^(?!@assay/)`)],
  [/^engines\/(statistics|text-search)\//, /^$/],
  [/^engines\/span-reading\//, /^@assay\/(json|otlp)\//],
  [/^engines\/prompt-template\//, /^@assay\/(evaluators\/edit-distance$|json\/)|^(?!@assay\/)/],
  [/^engines\/evaluators\//, /^@assay\/((json|runtime)\/|json-schema\/takes-text$)|^(?!@assay\/)/],
  [/^engines\//, /^@assay\/(contracts|json|runtime)\/|^(?!@assay\/)/],
  [
    /^services\//,
    /^@assay\/(contracts|json|runtime|comparison|json-schema|evaluators|prompt-template|judge-templates|code-sandbox|statistics|otlp|span-reading|text-search)\/|^(?!@assay\/)/,
  ],
  [/^gateway\//, /^@assay\/(contracts|runtime|otlp)\/|^(?!@assay\/)/],
  [/^local\//, /^@assay\/(?!testing\/|examples\/)|^(?!@assay\/)/],
  [/^shared\/client\//, /^(@assay\/(contracts|json)\/|zod$)/],
  [/^shared\/comparison\//, /^@assay\/(client|contracts)\//],
  // What the readers yield is sent by a client, from a browser too.
  [/^shared\/import\/sending\//, /^@assay\/(client|contracts|json)\//],
  // Readers run in a browser too: they reach nothing but bytes.
  [
    /^shared\/import\//,
    /^(@assay\/contracts\/(metrics|cut-text|scale|spreadsheet-text)|@assay\/json\/[a-z-]+|fzstd|hyparquet|hyparquet-compressors|yaml)$/,
  ],
  [/^cli\//, /^@assay\/(client|comparison|contracts|import|json|runtime|sdk)\/|^(?!@assay\/)/],
  [/^mcp\//, /^@assay\/(client|comparison|contracts|json|runtime)\/|^(?!@assay\/)/],
  [
    /^sdk\//,
    /^@assay\/(client|comparison|contracts\/(cut-text|provider-limit|record-notes|scale)|evaluators|import|json|runtime\/http\/proxied-fetch|statistics)(\/|$)|^(?!@assay\/)/,
  ],
  [
    /^console\//,
    /^@assay\/(client|comparison|contracts|import|json|judge-templates\/own-fields)(\/|$)|^(?!@assay\/)/,
  ],
  [/^examples\//, /^@assay\/(client|comparison|local)\/|^(?!@assay\/)/],
  [/^(bench|shared\/testing)\//, /./],
];

/**
 * Imports between packages that go against the arrows: a service of another, the runtime of a named
 * contract. Tests may, and what says how a package is bundled.
 */
export function againstThePackages(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => !isTest(path) && !path.endsWith('/vite.config.ts'))
    .flatMap((file) => {
      const allowed = packageArrows.find(([folder]) => folder.test(file.path))?.[1];
      return allowed
        ? file.imports
            .filter((wanted) => !mayLeave(file, wanted, allowed))
            .map((wanted) => arrow(file, wanted))
        : [];
    });
}

/** Other packages are imported by their names only. */
function mayLeave({ path }: SourceFile, { specifier }: Import, allowed: RegExp): boolean {
  const target = resolveImport(path, specifier);
  return target === undefined ? allowed.test(specifier) : packageOf(target) === packageOf(path);
}

/** The folder of a path's package: `services/catalog`, `gateway`, … */
export const packageOf = (path: string): string =>
  /^((shared|engines|services|sdk)\/[^/]+|[^/]+)/.exec(path)![0];

/**
 * Files that import the entry of a worker thread as more than types, tests too: the entry lowers
 * the priority of the thread that loads it.
 */
export function importingWorkers(files: SourceFile[]): string[] {
  return files.flatMap((file) =>
    file.imports
      .filter(
        ({ specifier, isTypeOnly }) =>
          !isTypeOnly && /-worker\.ts$/.test(resolveImport(file.path, specifier) ?? ''),
      )
      .map((wanted) => arrow(file, wanted)),
  );
}

/**
 * Rings of files that import each other, types included: whoever reads one file of a ring has to
 * read them all.
 */
export function fileCycles(files: SourceFile[]): string[] {
  const edges = new Map(
    files.map(({ path, imports: wanted }) => [
      path,
      wanted.flatMap(({ specifier }) => resolveImport(path, specifier) ?? []),
    ]),
  );
  return cyclesOf(edges);
}

/**
 * Rings of packages, types included, since a package is built whole. Tests are of no package's
 * build.
 */
export function packageCycles(files: SourceFile[]): string[] {
  const edges = new Map<string, string[]>();
  const folders = new Map(
    [...new Set(files.map(({ path }) => packageOf(path)))].map((folder) => [
      posix.basename(folder),
      folder,
    ]),
  );
  for (const { path, imports: wanted } of files.filter(({ path }) => !isTest(path))) {
    const named = wanted.flatMap(
      ({ specifier }) => folders.get(/^@assay\/([^/]+)/.exec(specifier)?.[1] ?? '') ?? [],
    );
    edges.set(packageOf(path), [...(edges.get(packageOf(path)) ?? []), ...named]);
  }
  return cyclesOf(edges);
}

function cyclesOf(edges: Map<string, string[]>): string[] {
  const found = new Set<string>();
  const finished = new Set<string>();
  function visit(node: string, way: string[]): void {
    if (way.includes(node))
      return void found.add([...way.slice(way.indexOf(node)), node].join(' → '));
    if (finished.has(node)) return;
    for (const next of edges.get(node) ?? []) visit(next, [...way, node]);
    finished.add(node);
  }
  for (const node of edges.keys()) visit(node, []);
  return [...found];
}
