/** Backups of the library and of the directories of stopped profiles. */
import { stat } from "node:fs/promises";
import { systemFault } from "../../protocol/disk-fault.ts";
import type { BackupCalls } from "../../protocol/messages/backups.ts";
import { writeBackup } from "../../storage/backup.ts";
import { instant, type Room } from "./room.ts";

export function backupsArea(room: Room): BackupCalls {
  return {
    async backup({ file, passphrase, running }) {
      try {
        const createdAt = instant(room.clock);
        const manifest = await writeBackup(room, { file, passphrase, running, createdAt });
        const { profiles, leftOut, leftOutFiles, secrets } = manifest;
        const { size: bytes } = await stat(file);
        return { file, createdAt, bytes, profiles, leftOut, leftOutFiles, secrets };
      } catch (error) {
        throw systemFault(error, file);
      }
    },
  };
}
