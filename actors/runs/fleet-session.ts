/** The session of a machine's earlier start in its fleet. The directory's lock proves its end, but a copied directory has a copy of the file, and its original may run. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bootId } from "../kernel/proc-file.ts";

interface Kept {
  session: string;
  /** Device numbers hold for one boot. */
  boot: string | null;
  dev: number;
  ino: number;
}

export interface SessionFile {
  /** Null: there is none, or it may be another directory's or another machine's, so that only its silence proves its end. */
  earlier(): string | null;
  /** Call it when the earlier one has given up all it had. */
  keep(session: string): void;
}

export function sessionFileIn(dataDir: string): SessionFile {
  const dir = join(dataDir, "fleet");
  const file = join(dir, "session");
  const here = () => {
    const { dev, ino } = statSync(dataDir);
    return { boot: bootId(), dev, ino };
  };
  return {
    earlier() {
      try {
        const { session, boot, dev, ino }: Kept = JSON.parse(readFileSync(file, "utf8"));
        const now = here();
        return boot === now.boot && dev === now.dev && ino === now.ino ? session : null;
      } catch {
        return null;
      }
    },
    keep(session) {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      writeFileSync(file, JSON.stringify({ session, ...here() }), { mode: 0o600, flush: true });
    },
  };
}
