/** Suite `datasets`: a million rows over the API: their effect on other calls, reads of pages and listings, memory, and restart. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AppendRowsReply, CreateDatasetReply, DatasetRowsReply } from "../protocol/datasets.ts";
import { type Rest, type Started, startServed, withDataDir } from "./served.ts";
import { announce, median, quantile, report, table } from "./table.ts";

const rowsTotal = 1_000_000;
const rowsPerBody = 5_000;
const pageOffset = 900_000;
const readings = 200;
const watchPauseMs = 5;
const watchAloneMs = 5_000;
const mb = 1024 ** 2;

export async function runDatasetsSuite(): Promise<void> {
  const conditions = announce("datasets", `${rowsTotal} rows in bodies of ${rowsPerBody}`);
  await withDataDir(async (dataDir) => {
    const first = await startServed(dataDir);
    const empty = { readyMs: first.readyMs, rssBytes: await rssOf(first) };
    const filled = await fill(first);
    const read = await readBack(first.served.rest, filled.id);
    const full = await rssOf(first);
    const journalBytes = await sizeOfJournals(dataDir);
    await first.end("SIGKILL");
    const afterKill = await restart(dataDir, filled.id);
    const afterStop = await restart(dataDir, filled.id);
    const snapshotBytes = (await stat(join(dataDir, "library.sqlite"))).size;
    const seconds = filled.tookMs / 1_000;
    const longest = (samples: number[]) => quantile(samples, 1);
    const ms = (value: number) => value.toFixed(1);
    const calls = (name: string, samples: number[]) => [
      name,
      ms(median(samples)),
      ms(quantile(samples, 0.99)),
      ms(longest(samples)),
    ];
    const text = table([
      ["ms", "p50", "p99", "longest"],
      calls("another call (list datasets) while nothing else happens", filled.alone),
      calls("the same while rows are appended", filled.beside),
      calls(`page of 100 rows at offset ${pageOffset}`, read.pages),
      calls("list datasets after", read.lists),
    ]);
    const facts = table([
      ["", "empty", "with the rows", "started after kill -9", "started after a clean stop"],
      ["RSS MB", ...[empty.rssBytes, full, afterKill.rssBytes, afterStop.rssBytes].map((at) => ms(at / mb))],
      ["start to ready, ms", ms(empty.readyMs), "", ms(afterKill.readyMs), ms(afterStop.readyMs)],
      ["journal to replay MB", "", "", ms(journalBytes / mb), "0"],
      ["snapshot MB", "", "", "", ms(snapshotBytes / mb)],
    ]);
    report(
      "datasets",
      `${text}\n\n${facts}\n\n${rowsTotal} rows in ${seconds.toFixed(1)} s, of which the service computed ${filled.cpuSeconds.toFixed(1)} s\n`,
      [
        { what: "rows a second", figure: rowsTotal / seconds, limit: 20_000, atLeast: true },
        { what: "ms for a page at the end", figure: median(read.pages), limit: 10 },
        { what: "ms for the listing", figure: median(read.lists), limit: 10 },
        { what: "ms of the longest other call while rows came", figure: longest(filled.beside), limit: 250 },
      ],
      { ...conditions, empty, full, afterKill, afterStop, journalBytes, snapshotBytes, ...filled, ...read },
    );
  });
}

function row(n: number) {
  return {
    email: `user${n}@example.com`,
    name: `First Last ${n}`,
    phone: `+49 170 ${1_000_000 + n}`,
    note: `joined ${n % 365} days ago and never wrote again`,
  };
}

async function fill(service: Started) {
  const { rest } = service.served;
  const columns = Object.keys(row(0)).map((name) => ({ name }));
  const body = { name: "Million", mode: "consume", columns };
  const { dataset } = await rest.post<CreateDatasetReply>("/v1/datasets", body);
  const list = () => rest.get("/v1/datasets");
  const alone = await watched(list, () => new Promise((resolve) => setTimeout(resolve, watchAloneMs)));
  const cpuBefore = await cpuSecondsOf(service);
  const from = performance.now();
  const bodiesMs: number[] = [];
  const beside = await watched(list, async () => {
    for (let n = 0; n < rowsTotal; n += rowsPerBody) {
      const rows = Array.from({ length: rowsPerBody }, (_, at) => row(n + at));
      const sent = performance.now();
      const { added } = await rest.post<AppendRowsReply>(`/v1/datasets/${dataset.id}/rows`, { rows });
      bodiesMs.push(performance.now() - sent);
      if (added !== rowsPerBody) throw new Error(`${added} rows were taken of ${rowsPerBody}`);
    }
  });
  const tookMs = performance.now() - from;
  const cpuSeconds = (await cpuSecondsOf(service)) - cpuBefore;
  return { id: dataset.id, tookMs, cpuSeconds, bodiesMs, alone, beside };
}

/** Milliseconds of each `call`, repeated until `work` is done. */
async function watched(call: () => Promise<unknown>, work: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  let done = false;
  const watch = (async () => {
    while (!done) {
      samples.push(await timed(call));
      await new Promise<void>((resolve) => setTimeout(resolve, watchPauseMs));
    }
  })();
  await work();
  done = true;
  await watch;
  return samples;
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await call();
  return performance.now() - from;
}

async function readBack(rest: Rest, id: string) {
  const path = `/v1/datasets/${id}/rows?offset=${pageOffset}&limit=100`;
  const { rows } = await rest.get<DatasetRowsReply>(path);
  if (rows[0]?.row !== pageOffset + 1 || rows[0].values.email !== row(pageOffset).email) {
    throw new Error(`the page at ${pageOffset} begins with ${JSON.stringify(rows[0])}`);
  }
  const pages: number[] = [];
  const lists: number[] = [];
  for (let reading = 0; reading < readings; reading++) {
    pages.push(await timed(() => rest.get(path)));
    lists.push(await timed(() => rest.get("/v1/datasets")));
  }
  return { pages, lists };
}

async function restart(dataDir: string, id: string) {
  const service = await startServed(dataDir);
  const { total } = await service.served.rest.get<DatasetRowsReply>(`/v1/datasets/${id}/rows?limit=1`);
  if (total !== rowsTotal) throw new Error(`${total} of ${rowsTotal} rows are there`);
  const rssBytes = await rssOf(service);
  await service.end();
  return { readyMs: service.readyMs, rssBytes };
}

async function rssOf({ served: { pid } }: Started): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

async function cpuSecondsOf({ served: { pid } }: Started): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function sizeOfJournals(dataDir: string): Promise<number> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith("library.journal-"));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(dataDir, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
