/** Backups: what is written, and what was left out of one. */
import type { Count, DateTime, Uuid } from "../scalars.ts";

export interface BackupReply {
  file: string;
  createdAt: DateTime;
  bytes: Count;
  /** Profiles whose directories are in it. */
  profiles: Uuid[];
  /** Profiles whose browsers ran: their records are in it, their directories are not. */
  leftOut: Uuid[];
  /** Whether what is sealed is in it. */
  secrets: boolean;
}

export interface BackupCalls {
  /**
   * Writes a backup to a new file. `passphrase` null leaves out everything that is sealed. Throws `conflict` (the file is there),
   * `invalid` (it lies in the data directory), `internal` (a disk that refuses).
   */
  backup(input: {
    /** Absolute path. */
    file: string;
    passphrase: string | null;
    /** Profiles whose browsers run. */
    running: Uuid[];
  }): Promise<BackupReply>;
}
