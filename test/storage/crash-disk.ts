/** The real disk behind a buffer in this process, so that `kill -9` loses what was not synced, as a power cut does. */
import { type Disk, type DiskFile, nodeDisk } from "../../storage/disk.ts";

export type Betrayal = "none" | "answers-before-sync" | "forgets-journals";

export function crashDisk(betrayal: Betrayal): Disk {
  let moves: { path: string; apply(): void }[] = [];
  return {
    ...nodeDisk,
    create(path) {
      moves = moves.filter((move) => move.path !== path); // A file created again cancels a pending removal.
      return buffered(nodeDisk.create(path), betrayal);
    },
    open: (path) => buffered(nodeDisk.open(path), betrayal),
    read(path) {
      const bytes = nodeDisk.read(path);
      if (betrayal === "forgets-journals" && path.includes("journal-")) bytes?.fill(0, 64);
      return bytes;
    },
    rename: (from, to) => void moves.push({ path: to, apply: () => nodeDisk.rename(from, to) }),
    remove: (path) => void moves.push({ path, apply: () => nodeDisk.remove(path) }),
    async syncDir() {
      const due = moves;
      moves = [];
      await turn();
      for (const move of due) move.apply();
    },
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function buffered(file: DiskFile, betrayal: Betrayal): DiskFile {
  let writes: { bytes: Uint8Array; offset: number }[] = [];
  const flush = () => {
    for (const { bytes, offset } of writes) file.write(bytes, offset);
    writes = [];
  };
  return {
    write(bytes, offset) {
      writes.push({ bytes: bytes.slice(), offset });
      // The kernel may write back any part of a write at any time.
      if (Math.random() < 0.2)
        file.write(bytes.subarray(0, Math.floor(Math.random() * bytes.length)), offset);
    },
    async datasync() {
      if (betrayal === "answers-before-sync") {
        setTimeout(flush, 25);
        return;
      }
      await turn(); // Gives the kill time to arrive here.
      flush();
    },
    checkThere: () => file.checkThere(),
    close() {
      if (betrayal === "none") file.close();
    },
  };
}
