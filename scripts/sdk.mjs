// The packages for clients, which the gateway serves: an npm package and a wheel, made without npm
// and without Python. The same sources give the same bytes.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';

const summary = 'Evaluates AI systems on an Assay server, from TypeScript and Python';

/** Packs what was built, into `sdk/dist`. */
export function packSdk(root) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const licence = readFileSync(join(root, 'LICENSE'));
  const { version } = manifest;
  const folder = join(root, 'sdk/dist');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'assay.tgz'),
    npmPackage(join(root, 'sdk/typescript'), { ...manifest, licence }),
  );
  writeFileSync(
    join(folder, `assay-${version}-py3-none-any.whl`),
    wheel(join(root, 'sdk/python'), { ...manifest, licence }),
  );
}

/** The declarations that users' compilers read: they import each other, and nothing else. */
const declarations = [
  'index',
  'evaluate',
  'evaluation',
  'failure',
  'record-types',
  'retry',
  'vitest',
];

function npmPackage(folder, { version, license, licence }) {
  const manifest = {
    name: 'assay',
    version,
    description: summary,
    license,
    type: 'module',
    engines: { node: '>=20' },
    bin: { assay: './cli.js' },
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './vitest': { types: './vitest.d.ts', default: './vitest.js' },
    },
    // vitest is no optional peer: npm would ask the registry for it.
  };
  const bundled = readdirSync(join(folder, 'dist/bundle')).sort();
  const files = [
    ['package.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
    ['README.md', readFileSync(join(folder, 'README.md'))],
    ['LICENSE', licence],
    ...bundled.map((name) => [name, readFileSync(join(folder, 'dist/bundle', name))]),
    ...declarations.map((name) => [`${name}.d.ts`, declaration(folder, name)]),
  ];
  const archive = tar(files.map(([name, bytes]) => [`package/${name}`, bytes]));
  const packed = gzipSync(archive, { level: 9 });
  // The byte that names the system on which it was packed.
  packed[9] = 255;
  return packed;
}

/** With the names that every compiler resolves, in place of those of the sources. */
function declaration(folder, name) {
  const text = readFileSync(join(folder, 'dist', `${name}.d.ts`), 'utf8');
  const imported = [...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from);
  const known = ['vitest', ...declarations.map((each) => `./${each}.ts`)];
  const unknown = imported.find((from) => !known.includes(from));
  if (unknown) throw new Error(`${name}.d.ts imports ${unknown}, which the package does not have.`);
  return Buffer.from(text.replaceAll(/from '(\.\/[-\w]+)\.ts'/g, "from '$1.js'"));
}

const blockBytes = 512;

/** A tape archive as POSIX.1-1988 describes it, of files that everybody may read. */
function tar(files) {
  const blocks = files.flatMap(([name, bytes]) => {
    const header = Buffer.alloc(blockBytes);
    header.write(name, 0, 100);
    const fields = [
      [100, name.endsWith('/cli.js') ? '0000755' : '0000644'],
      [108, '0000000'],
      [116, '0000000'],
      [124, bytes.length.toString(8).padStart(11, '0')],
      // npm's own time, since the file's would differ at each build.
      [136, (499_162_500).toString(8).padStart(11, '0')],
      [156, '0'],
      [257, 'ustar'],
      [263, '00'],
    ];
    for (const [offset, text] of fields) header.write(text, offset);
    header.fill(' ', 148, 156);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const rest = (blockBytes - (bytes.length % blockBytes)) % blockBytes;
    return [header, bytes, Buffer.alloc(rest)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

/** A wheel: PEP 427, with its licence as PEP 639 has it. */
function wheel(folder, { version, license, licence }) {
  const info = `assay-${version}.dist-info`;
  const sources = readdirSync(join(folder, 'assay'))
    .filter((name) => /\.py$|^py\.typed$/.test(name))
    .sort()
    .map((name) => {
      return [`assay/${name}`, readFileSync(join(folder, 'assay', name))];
    });
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const fields = {
    'Metadata-Version': '2.4',
    Name: 'assay',
    Version: version,
    Summary: summary,
    'License-Expression': license,
    'License-File': 'LICENSE',
    'Requires-Python': '>=3.9',
    'Description-Content-Type': 'text/markdown',
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  const metadata = `${head.join('')}\n${readme}`;
  const files = [
    ...sources,
    [`${info}/METADATA`, Buffer.from(metadata)],
    [`${info}/licenses/LICENSE`, licence],
    [
      `${info}/WHEEL`,
      Buffer.from(
        'Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      ),
    ],
    [`${info}/entry_points.txt`, Buffer.from('[pytest11]\nassay = assay.pytest_plugin\n')],
  ];
  const record = files.map(([name, bytes]) => {
    const hash = createHash('sha256').update(bytes).digest('base64url');
    return `${name},sha256=${hash},${bytes.length}\n`;
  });
  const recordName = `${info}/RECORD`;
  return zip([...files, [recordName, Buffer.from(`${record.join('')}${recordName},,\n`)]]);
}

/** 1 January 1980, the first day that a zip knows. */
const zipDate = 0x21;

/** A zip archive of files that are stored as they are. */
function zip(files) {
  const locals = [];
  const entries = [];
  let offset = 0;
  for (const [name, bytes] of files) {
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    // Names are UTF-8.
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(zipDate, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, path, bytes]);
    const ends = Buffer.alloc(14);
    // Made by Unix: the file's rights, and where it begins.
    ends.writeUInt32LE((0o100644 << 16) >>> 0, 6);
    ends.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([20, 3]);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), madeBy, common, ends, path]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
