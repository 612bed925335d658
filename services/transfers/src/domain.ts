import type { Dependencies } from './domain/dependencies.ts';
import { createExports } from './domain/export.ts';
import { createImports } from './domain/import.ts';

export type Domain = ReturnType<typeof createDomain>;

/** The rules of whole projects on their way out and in (contract section 4, ADR 48). */
export const createDomain = (dependencies: Dependencies) => ({
  exports: createExports(dependencies),
  imports: createImports(dependencies),
});
