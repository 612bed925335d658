/**
 * The version of Assay, which every process and package says. `npm run release` writes it here and
 * in the manifests.
 */
export const version = '0.2.0';
