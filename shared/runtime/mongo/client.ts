import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { MongoClient, type MongoClientOptions } from 'mongodb';

/** What is used of a connection of the driver. */
interface Connection extends EventEmitter {
  /** Why it is closed. */
  error: Error | null;
  /** Resolves when the socket has taken the whole command. */
  writeCommand(...given: unknown[]): Promise<void>;
}

/**
 * Returns a client of MongoDB each of whose commands is answered or fails: everything that talks to
 * MongoDB does so by this one.
 */
export function createMongoClient(uri: string, options?: MongoClientOptions): MongoClient {
  failWritesOfClosed();
  return new MongoClient(uri, options);
}

let isMended = false;

/**
 * Lets a command fail whose connection closes before its socket has taken the whole of it. The
 * driver (7.8.0, and 7.9.0) waits for "drain" then, which a closed socket never emits: neither the
 * time-out of the socket nor a deadline of the command ends that wait. It comes about where a large
 * document is being sent when the server dies, and where a command is begun between the end of a
 * socket and its "close" (ADR 82).
 */
function failWritesOfClosed(): void {
  if (isMended) return;
  isMended = true;
  const { prototype } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js')
    .Connection as { prototype: Connection };
  const { writeCommand } = prototype;
  prototype.writeCommand = function (this: Connection, ...given) {
    return new Promise((resolve, reject) => {
      const fail = () => reject(this.error);
      this.once('close', fail);
      const forget = () => void this.off('close', fail);
      writeCommand.apply(this, given).then(resolve, reject).then(forget);
    });
  };
}
