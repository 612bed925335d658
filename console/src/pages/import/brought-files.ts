import type { PickedFiles } from '../../parts/files/picked-files.ts';

let brought: PickedFiles | undefined;

/** Keeps files that were chosen on another page for the import that it leads to. */
export function bring(picked: PickedFiles): void {
  brought = picked;
}

/** The files that were brought, once. */
export function takeBrought(): PickedFiles | undefined {
  const taken = brought;
  brought = undefined;
  return taken;
}
