/**
 * Suite `copies`: duplicates, checkpoints and their restoring of a profile with 300 MB of files, beside `cp -r --reflink=auto` of the same
 * files, and 50 duplicates without state.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { withServed } from "./served.ts";
import { announce, median, report, samplesTable } from "./table.ts";
import { takeTurns } from "./taking-turns.ts";

const run = promisify(execFile);
const rounds = 7;
const mb = 1024 ** 2;
/** Many small files and a few large ones, as a browser writes them. */
const small = { count: 2_000, bytes: 50_000 };
const large = { count: 10, bytes: 20 * mb };
const filesADir = 100;
const duplicates = 50;
const cp = "cp -r --reflink=auto";

export async function runCopiesSuite(): Promise<void> {
  const conditions = announce("copies", `300 MB in ${small.count + large.count} files, ${rounds} rounds`);
  await withServed(async ({ rest, dataDir }) => {
    const [id = "", plain = ""] = await rest.createProfiles(2);
    const files = join(dataDir, "profiles", id, "chromium");
    await writeFiles(files);
    const copy = join(dataDir, "copy");
    const path = `/v1/profiles/${id}`;
    const checkpoint = () => rest.post<{ checkpoint_id: string }>(`${path}/checkpoints`, { name: "kept" });
    const { checkpoint_id } = await checkpoint();
    const samples = await takeTurns(
      [
        {
          name: cp,
          run: () => run("cp", ["-r", "--reflink=auto", files, copy]),
          after: () => rm(copy, { recursive: true }),
        },
        { name: "duplicate", run: () => rest.post(`${path}/duplicate`, { with_state: true }) },
        { name: "checkpoint", run: checkpoint },
        { name: "restore", run: () => rest.post(`${path}/checkpoints/${checkpoint_id}/restore`) },
        {
          name: `${duplicates} duplicates without state`,
          run: () => rest.post(`/v1/profiles/${plain}/duplicate`, { count: duplicates }),
        },
      ],
      rounds,
    );
    const ms = (name: string) => median(samples.get(name) ?? []);
    report(
      "copies",
      samplesTable(samples, cp, 0),
      [
        ...["duplicate", "checkpoint", "restore"].map((what) => ({
          what: `${what} over ${cp}`,
          figure: ms(what) / ms(cp),
          limit: 1.5,
        })),
        {
          what: `ms of ${duplicates} duplicates without state`,
          figure: ms(`${duplicates} duplicates without state`),
          limit: 2_000,
        },
      ],
      { ...conditions, samples: Object.fromEntries(samples) },
    );
  });
}

async function writeFiles(dir: string): Promise<void> {
  const store = join(dir, "Default", "IndexedDB", "https_shop.test_0.indexeddb.blob");
  for (const { count, bytes } of [small, large]) {
    const content = randomBytes(bytes);
    for (let at = 0; at < count; at += 1) {
      const inside = join(store, `${bytes}-${Math.floor(at / filesADir)}`);
      if (at % filesADir === 0) await mkdir(inside, { recursive: true });
      await writeFile(join(inside, String(at)), content);
    }
  }
}
