import { version } from '@assay/contracts/version';
import pino from 'pino';

export type Log = pino.Logger;

/** Characters of one text in the log: a client may choose longer ones. */
const charactersMax = 8192;

/**
 * A process's log: JSON lines on standard output, or to `destination`. Texts are cut at 8,192
 * characters, and characters that a terminal obeys or hides (controls, line ends and directions of
 * Unicode) are escaped.
 */
export const createLog = ({
  name,
  level,
  destination,
}: {
  name: string;
  level: string;
  destination?: pino.DestinationStream;
}): Log =>
  pino(
    {
      name,
      level,
      base: { name },
      // As log platforms read severities.
      formatters: { level: (level) => ({ level }) },
      redact: [
        'key',
        'authorization',
        'headers.authorization',
        'cookie',
        'headers.cookie',
        'headers["set-cookie"]',
      ],
      hooks: {
        streamWrite: (line) => escaped(line.length > charactersMax ? shortened(line) : line),
      },
    },
    destination ?? pino.destination({ fd: 1, sync: false }),
  );

interface ProcessLogOptions {
  name: string;
  config: { LOG_LEVEL: string; ASSAY_REVISION: string };
  /** The log of a process in which several services run. */
  shared?: Log | undefined;
}

/** Opens the log of a service or process. Its first line says which version starts. */
export function openLog({ name, config, shared }: ProcessLogOptions): Log {
  const log = shared?.child({ name }) ?? createLog({ name, level: config.LOG_LEVEL });
  log.info({ version, revision: config.ASSAY_REVISION }, 'starting');
  return log;
}

/** Says that a process serves: where, and of which version and commit it is. */
export const logReady = (
  log: Log,
  { url, config }: { url: string; config: ProcessLogOptions['config'] },
): void => log.info({ url, version, revision: config.ASSAY_REVISION }, 'ready');

const shortened = (line: string): string =>
  `${JSON.stringify(JSON.parse(line), (_name, value) => shortText(value))}\n`;

const shortText = (value: unknown): unknown =>
  typeof value === 'string' && value.length > charactersMax
    ? `${value.slice(0, charactersMax)}…`
    : value;

/** Such characters stand in texts alone, since a line is JSON. */
const escaped = (line: string): string =>
  line.replaceAll(
    /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
