/** The real disk behind a buffer that dies with the process: what was not synced is lost by `kill -9` as by a power cut. */
import { type Disk, type DiskFile, nodeDisk } from "../../storage/disk.ts";

/** How the disk betrays, to show that the harness notices. */
export type Betrayal = "none" | "answers-before-sync" | "forgets-journals";

export function crashDisk(betrayal: Betrayal): Disk {
  /** Renames and removals that no directory sync has covered. */
  let moves: { path: string; apply(): void }[] = [];
  return {
    ...nodeDisk,
    create(path) {
      moves = moves.filter((move) => move.path !== path); // A file made anew is not the one that was to go.
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
      // The kernel writes back what it likes when it likes: the beginning of a write may arrive without its end.
      if (Math.random() < 0.2)
        file.write(bytes.subarray(0, Math.floor(Math.random() * bytes.length)), offset);
    },
    async datasync() {
      if (betrayal === "answers-before-sync") {
        setTimeout(flush, 25); // Where the kernel would have written it back by itself.
        return;
      }
      await turn(); // Time to be killed in.
      flush();
    },
    close() {
      if (betrayal === "none") file.close();
    },
  };
}
