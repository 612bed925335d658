import { Failure, invalidAt } from '@assay/contracts/failure';
import {
  formatVersion,
  type Line,
  type LineKind,
  lineDepthMax,
  lineKinds,
  lineSchemas,
  projectFormat,
} from '@assay/contracts/project-file';
import { createEntryParser } from '@assay/runtime/uploads/parse-entry';

const parsers = Object.fromEntries(
  lineKinds.map((kind) => [kind, createEntryParser<unknown>(lineSchemas[kind], lineDepthMax)]),
) as Record<LineKind, (raw: Buffer) => unknown>;

/** Reads a line of a kind that is known. */
export async function parseLine<Kind extends LineKind>(
  kind: Kind,
  raw: Buffer,
): Promise<Line<Kind>> {
  return (await parsers[kind](raw)) as Line<Kind>;
}

/**
 * Reads the header, and returns the signer that it names.
 * @throws VALIDATION_ERROR where the file is of something else, or of a later version.
 */
export async function readHeader(
  raw: Buffer,
  kind: string | undefined,
): Promise<string | undefined> {
  const text = raw.subarray(0, 1024).toString();
  if (kind !== 'header' || !text.includes(`"${projectFormat}"`))
    throw invalidAt(
      '',
      `is not the header of an exported project: it must begin with {"kind":"header","format":"${projectFormat}"`,
    );
  const { version, signer } = await parseLine('header', raw);
  if (version > formatVersion)
    throw invalidAt(
      '/version',
      `is ${version}, but this server reads files up to version ${formatVersion}. Import it on a later release`,
    );
  return signer;
}

/** Why a line cannot be read by its kind. */
export const isUnknownKind = (kind: string | undefined): Failure =>
  kind === undefined
    ? invalidAt('/kind', 'must be the first member of the line')
    : invalidAt(
        '/kind',
        `is "${kind}", which this release does not know. Import the file on the release that wrote it, or a later one`,
      );

/**
 * Adds the line at which an import ended, or the first and the last of those among which the fault
 * is, unless it is not the file's, or has them already.
 */
export function atLines(failure: Failure, line: number, lastLine = line): Failure {
  const { code, message, details, status } = failure;
  if (status >= 500 || details.line !== undefined) return failure;
  const isOne = line === lastLine;
  const place = isOne ? `Line ${line}` : `In lines ${line} to ${lastLine}`;
  return new Failure(code, `${place}: ${message.replace(/^The body/, 'it')}`, {
    details: { ...details, line, ...(isOne ? {} : { lastLine }) },
    cause: failure,
  });
}
