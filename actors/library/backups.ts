/** Backups of the library and of the directories of stopped profiles. */
import { stat } from "node:fs/promises";
import { systemFault } from "../../protocol/disk-fault.ts";
import type { BackupCalls } from "../../protocol/messages/backups.ts";
import { writeBackup } from "../../storage/backup.ts";
import { instant, type LibraryContext } from "./context.ts";

export function backupsArea(context: LibraryContext): BackupCalls {
  return {
    async backup({ file, passphrase, running }) {
      try {
        const createdAt = instant(context.clock);
        const inTurn = <T>(id: string, work: () => Promise<T>) => context.profileFiles.alone(id, work, true);
        const manifest = await writeBackup(context, { file, passphrase, running, createdAt, inTurn });
        const { profiles, leftOut, leftOutFiles, secrets } = manifest;
        const { size: bytes } = await stat(file);
        return { file, createdAt, bytes, profiles, leftOut, leftOutFiles, secrets };
      } catch (error) {
        throw systemFault(error, file);
      }
    },
  };
}
