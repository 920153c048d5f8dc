/** Backups: what is written and what is left out. */
import type { Count, DateTime, Uuid } from "../scalars.ts";

export type LeftOutReason = "name-not-utf8" | "symbolic-link" | "not-a-file" | "not-a-profile";

export interface LeftOutFile {
  /** Of a file or directory, below the data directory; `\xe9` stands for a byte of a name that is not UTF-8. */
  path: string;
  reason: LeftOutReason;
}

export interface BackupReply {
  file: string;
  createdAt: DateTime;
  bytes: Count;
  profiles: Uuid[];
  /** Their browsers ran: only their records are included. */
  leftOut: Uuid[];
  /** Beside the caches, which are always left out. */
  leftOutFiles: LeftOutFile[];
  secrets: boolean;
}

export interface BackupCalls {
  /** `passphrase` null leaves out sealed values. Throws `conflict` (the file exists), `invalid` (in the data directory), `internal`. */
  backup(input: {
    /** Absolute path. */
    file: string;
    passphrase: string | null;
    running: Uuid[];
  }): Promise<BackupReply>;
}
