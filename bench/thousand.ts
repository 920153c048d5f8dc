/** Suite `thousand`: 1,000 profiles of a trivial script in one run: growth of resources, and speed of the last ones. */
import type { Run } from "../protocol/records.ts";
import type { SaveScriptReply } from "../protocol/requests.ts";
import type { RunProfilesReply } from "../protocol/run-requests.ts";
import { callTroupe } from "./demo/troupe.ts";
import { descriptorCount, descriptorsOf, type Holdings, holdingsOf, residentBytes } from "./leftovers.ts";
import { type Served, withServed } from "./served.ts";
import { announce, median, report, table } from "./table.ts";

const profiles = Number(process.env.THOUSAND_PROFILES ?? 1_000);
const concurrency = 8;
const compared = 100;
const mb = 1024 ** 2;
const pollMs = 250;

const source = `import type { Page } from "puppeteer-core";
export default async function run({ page }) { return page.evaluate(() => 6 * 7); }`;

interface Reading {
  done: number;
  rssMb: number;
  descriptors: number;
  capacityMs: number;
}

export async function runThousandSuite(): Promise<void> {
  const conditions = announce(
    "thousand",
    `${profiles} profiles of a trivial script, ${concurrency} at a time`,
  );
  await withServed(async (served) => {
    const before = await holdingsOf(served.pid, served.dataDir);
    const { run, readings } = await drive(served);
    const after = await atRest(served, before);
    const path = `/v1/runs/${run.id}/profiles?limit=1000`;
    const { profiles: parts } = await served.rest.get<RunProfilesReply>(path);
    const took = (part: (typeof parts)[number]) =>
      Date.parse(part.completedAt ?? "") - Date.parse(part.startedAt ?? "");
    const wrong = parts.filter(({ status, result }) => status !== "completed" || result !== 42);
    const capacityMs = tenthsOf(readings, (reading) => reading.capacityMs);
    const rows = readings.filter((_, at) => at % Math.ceil(readings.length / 20) === 0);
    report(
      "thousand",
      table([
        ["ended", "service RSS MB", "descriptors", "GET capacity ms"],
        ...rows.map((reading) => [
          String(reading.done),
          reading.rssMb.toFixed(1),
          String(reading.descriptors),
          reading.capacityMs.toFixed(2),
        ]),
      ]),
      [
        { what: "parts that did not complete", figure: wrong.length, limit: 0 },
        {
          what: "the service's memory, last tenth over the least of the first five",
          figure: grown(readings, ({ rssMb }) => rssMb),
          limit: 1.15,
        },
        {
          what: "open descriptors, last tenth over the least of the first five",
          figure: grown(readings, ({ descriptors }) => descriptors),
          limit: 1.1,
        },
        {
          what: "GET capacity, last tenth over first",
          figure: (capacityMs.at(-1) ?? Number.NaN) / (capacityMs[0] ?? Number.NaN),
          limit: 1.5,
        },
        {
          what: `script time, last ${compared} over first`,
          figure: median(parts.slice(-compared).map(took)) / median(parts.slice(0, compared).map(took)),
          limit: 1.2,
        },
        { what: "processes left", figure: after.processes - before.processes, limit: 0 },
        { what: "descriptors left", figure: descriptorCount(after) - descriptorCount(before), limit: 4 },
      ],
      { ...conditions, readings, before, after, errors: wrong.map(({ error }) => error) },
    );
  });
}

async function drive({ rest, pid, dataDir }: Served): Promise<{ run: Run; readings: Reading[] }> {
  const ids = await rest.createProfiles(profiles);
  const { scriptId } = await rest.post<SaveScriptReply>("/v1/scripts", { name: "trivial", source });
  await callTroupe(dataDir, "script", "approve", scriptId);
  const body = { script_id: scriptId, profile_ids: ids, concurrency };
  let run = await rest.post<Run>("/v1/scripts/batch", body);
  const readings: Reading[] = [];
  while (run.status === "running") {
    await new Promise<void>((resolve) => setTimeout(resolve, pollMs));
    const from = performance.now();
    await rest.get("/v1/capacity");
    const capacityMs = performance.now() - from;
    run = await rest.get<Run>(`/v1/runs/${run.id}`);
    const done = run.profilesDone + run.profilesFailed;
    const descriptors = descriptorCount({ descriptors: await descriptorsOf(pid) });
    // Skip the first launches, whose memory is reused later.
    if (done >= concurrency * 4)
      readings.push({ done, rssMb: (await residentBytes(pid)) / mb, descriptors, capacityMs });
  }
  return { run, readings };
}

function tenthsOf(readings: readonly Reading[], figure: (reading: Reading) => number): number[] {
  const tenths = Array.from({ length: 10 }, (_, at) =>
    readings.filter(({ done }) => Math.min(9, Math.floor((done / profiles) * 10)) === at),
  );
  return tenths.filter((some) => some.length > 0).map((some) => median(some.map(figure)));
}

/** The last tenth relative to the lowest of the first five, because the first still has memory of the start, which would hide growth. */
function grown(readings: readonly Reading[], figure: (reading: Reading) => number): number {
  const tenths = tenthsOf(readings, figure);
  return (tenths.at(-1) ?? Number.NaN) / Math.min(...tenths.slice(0, 5));
}

/** What has just ended can still be counted for a moment. */
async function atRest({ pid, dataDir }: Served, before: Holdings): Promise<Holdings> {
  const until = performance.now() + 10_000;
  for (;;) {
    const held = await holdingsOf(pid, dataDir);
    if (performance.now() > until || descriptorCount(held) <= descriptorCount(before)) return held;
    await new Promise<void>((resolve) => setTimeout(resolve, pollMs));
  }
}
