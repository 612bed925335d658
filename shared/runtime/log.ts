import pino from 'pino';

export type Log = pino.Logger;

/** A process's log: JSON lines on standard output, or to `destination`. */
export const createLog = ({ name, level, destination }: { name: string; level: string; destination?: pino.DestinationStream }): Log =>
  pino(
    { name, level, base: { name }, redact: ['key', 'authorization', 'headers.authorization'] },
    destination ?? pino.destination({ fd: 1, sync: false }),
  );
