import type { Role } from '@assay/import/item';
import type { ImportedProject } from '@assay/import/sending/project';
import type { ImportReport, Progress } from '@assay/import/sending/report';
import type { PickedFile } from '../../parts/files/picked-files.ts';
import type { Overview } from './overview.ts';

export interface FormatName {
  name: string;
  title: string;
}

/** The decisions of a person about files, beside where they go. */
export interface Reading {
  /** A format's name; found out where it is left out. */
  format?: string;
  roles?: Record<string, Role>;
  key?: string;
  /** One a line: `tone=good,ok:bad`. */
  words?: string;
}

/** Files are those of a format, an exported project, or of no known kind. */
export type FoundImport =
  | {
      kind: 'source';
      format: FormatName;
      /** Its columns have no meaning of their own. */
      isTable: boolean;
      overview: Overview;
      formats: FormatName[];
    }
  | { kind: 'project' }
  | { kind: 'unknown'; formats: FormatName[] };

/** Where an import goes: a project by its id, or the one of a name, which may be new. */
export type Target = { id: string; name: string } | { id?: undefined; name: string };

/** The work of a worker: the first message to it. Each task has a worker of its own. */
export type Task =
  | { kind: 'tell'; files: PickedFile[] }
  | { kind: 'look'; name: string; files: PickedFile[]; reading: Reading }
  | {
      kind: 'send';
      name: string;
      files: PickedFile[];
      /** With its format. */
      reading: Reading;
      /** Names of testsets in place of the source's, by their `ref`. */
      names: Record<string, string>;
      target: Target;
      /** The metrics of runs that bring no scores. */
      metricIds: string[];
      url: string;
    }
  | { kind: 'send project'; file: File; name: string | undefined; url: string };

/** The result of each kind of task. */
export interface Results {
  /** The format of a file by its head, where it is not a table. */
  tell: FormatName | undefined;
  look: FoundImport;
  send: ImportReport;
  'send project': ImportedProject;
}

export interface TaskFailure {
  /**
   * `file`: it cannot be read, and the message has the place. `away`: the service was not reached
   * for as long as it was tried. `refused`: it answered otherwise.
   */
  kind: 'file' | 'away' | 'refused';
  message: string;
}

/** A message of a worker: of its progress, and at last of its result. */
export type WorkerMessage =
  | { kind: 'read'; bytes: number }
  | { kind: 'sent'; progress: Progress }
  | { kind: 'waiting' }
  | { kind: 'signed out' }
  | { kind: 'done'; result: Results[keyof Results] }
  | { kind: 'failed'; failure: TaskFailure };
