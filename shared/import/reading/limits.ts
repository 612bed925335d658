/** Characters of one line, row or element: twice the size that the service takes of a record. */
export const entryCharactersMax = 32 * 1024 * 1024;

/** Characters of a document beside the list that is read element by element. */
export const documentCharactersMax = 64 * 1024 * 1024;

/** Levels of a value: the service takes no more. */
export const levelsMax = 512;

/** Columns of a table, and different fields of a testset. */
export const fieldsMax = 2000;

/** Metrics, and runs, of one import. */
export const metricsMax = 1000;
export const runsMax = 10_000;

/** Characters of a record's metadata that the service takes. */
export const metadataCharactersMax = 16 * 1024;

/** Bytes that the members of an archive unpack to, all together. */
export const unpackedBytesMax = 4 * 1024 ** 3;

/** How many times its size an archive of more than 16 MiB may unpack to. */
export const unpackedRatioMax = 200;
export const ratioFreeBytes = 16 * 1024 * 1024;

/** Different losses that are listed one by one. */
export const lossesMax = 1000;
