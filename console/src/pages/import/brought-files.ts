import type { Picked } from '../../parts/files/picked-files.ts';

let brought: Picked | undefined;

/** Keeps files that were chosen on another page for the import that it leads to. */
export function bring(picked: Picked): void {
  brought = picked;
}

/** The files that were brought, once. */
export function takeBrought(): Picked | undefined {
  const taken = brought;
  brought = undefined;
  return taken;
}
