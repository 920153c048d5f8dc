/** Suite `footprint`: the memory of the service's own process, with no profile running and with each that runs idle. */
import { readdir, readFile } from "node:fs/promises";
import { withServed } from "./served.ts";
import { announce, report, table } from "./table.ts";

const counts = [1, 2, 4, 8, 16];
/** The process has come to rest when its size has changed by less than this within `restMs`. */
const restBytes = 256 * 1024;
const restMs = 1_000;
const restMsMax = 15_000;
const mb = 1024 ** 2;

interface Reading {
  running: number;
  /** Resident bytes of the service's process, shared pages of the Node binary included; browsers are other processes. */
  rss: number;
  /** Of these, the ones that are its alone: heap, stacks, code made at run time. */
  anonymous: number;
  threads: number;
}

export async function runFootprintSuite(): Promise<void> {
  const conditions = announce("footprint", `the service's own memory, none to ${counts.at(-1)} profiles`);
  await withServed(async ({ pid, rest }) => {
    const ids = await rest.createProfiles(Math.max(...counts));
    const readings: Reading[] = [await readAtRest(pid, 0)];
    for (const running of counts) {
      const more = ids.slice(readings.at(-1)?.running ?? 0, running);
      for (const id of more) await rest.launch(id);
      readings.push(await readAtRest(pid, running));
    }
    await Promise.all(ids.map((id) => rest.stop(id)));
    const after = await readAtRest(pid, 0);
    const idle = readings[0]?.rss ?? Number.NaN;
    const full = readings.at(-1);
    const each = full === undefined ? Number.NaN : (full.rss - idle) / full.running;
    report(
      "footprint",
      footprintTable([...readings, after], idle),
      [
        { what: "MB with no profile running", figure: idle / mb, limit: 150 },
        { what: "MB for each running profile", figure: each / mb, limit: 12 },
      ],
      { ...conditions, readings, after },
    );
  });
}

function footprintTable(readings: Reading[], idle: number): string {
  return table([
    ["profiles running", "RSS MB", "of it anonymous", "above none, each", "threads"],
    ...readings.map(({ running, rss, anonymous, threads }) => [
      String(running),
      (rss / mb).toFixed(1),
      (anonymous / mb).toFixed(1),
      running === 0 ? "" : ((rss - idle) / running / mb).toFixed(1),
      String(threads),
    ]),
  ]);
}

/** Reads again until two readings agree: threads that have just started or ended are still at work. */
async function readAtRest(pid: number, running: number): Promise<Reading> {
  const until = performance.now() + restMsMax;
  let last = await read(pid, running);
  for (;;) {
    await new Promise<void>((resolve) => setTimeout(resolve, restMs));
    const now = await read(pid, running);
    if (Math.abs(now.rss - last.rss) < restBytes || performance.now() > until) return now;
    last = now;
  }
}

async function read(pid: number, running: number): Promise<Reading> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const bytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
  const threads = (await readdir(`/proc/${pid}/task`)).length;
  return { running, rss: bytes("VmRSS"), anonymous: bytes("RssAnon"), threads };
}
