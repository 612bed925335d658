import type { Service } from '@assay/contracts/define';
import { shapesOf } from '../contract-shapes.ts';

interface RecordOptions {
  version: string;
  contracts: readonly Service[];
  /** The folders of `services/`. */
  folders: string[];
}

/**
 * Returns the text of docs/released-contracts.json: the contracts of every service, with which later
 * ones are compared. Each operation and message has a line, so that the diff shows the changes of a
 * release.
 * @throws an error where a service would be missing.
 */
export function recordContracts({ version, contracts, folders }: RecordOptions): string {
  const shapes = shapesOf(contracts);
  const missing = folders.filter((folder) => !(folder in shapes));
  if (missing.length > 0)
    throw new Error(
      `shared/contracts/all.ts lacks ${missing.join(', ')}: the contracts of every service are recorded.`,
    );
  const lines = Object.entries(shapes).map(([service, kinds]) => {
    const parts = Object.entries(kinds).map(([kind, named]) => {
      const each = Object.entries(named).map(
        ([name, shape]) => `   ${JSON.stringify(name)}: ${JSON.stringify(shape)}`,
      );
      return `  ${JSON.stringify(kind)}: {\n${each.join(',\n')}\n  }`;
    });
    return ` ${JSON.stringify(service)}: {\n${parts.join(',\n')}\n }`;
  });
  return `{\n"version": ${JSON.stringify(version)},\n"contracts": {\n${lines.join(',\n')}\n}\n}\n`;
}
