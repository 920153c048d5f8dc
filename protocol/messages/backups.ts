/** Backups: what is written and what is left out. */
import type { Count, DateTime, Uuid } from "../scalars.ts";

export interface BackupReply {
  file: string;
  createdAt: DateTime;
  bytes: Count;
  profiles: Uuid[];
  /** Their browsers ran: only their records are included. */
  leftOut: Uuid[];
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
