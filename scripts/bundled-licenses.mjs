import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * A plugin of rolldown and vite. Writes the licences of all packages that were bundled, as these
 * ask for, into one file.
 * @throws an error where a package has none.
 */
export const bundledLicenses = {
  name: 'bundled-licenses',
  generateBundle(_options, bundle) {
    // Vite names the files of assets from the folder that it builds.
    const from = this.environment?.config.root ?? '.';
    const modules = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk'
        ? file.moduleIds
        : file.originalFileNames.map((name) => resolve(from, name)),
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
