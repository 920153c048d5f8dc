/** Suite `crashes`: batches of 64 profiles whose service is killed twenty times. Every profile must be counted once. */
import { killedBatch } from "./batch/killed-batch.ts";
import { callTroupe } from "./demo/troupe.ts";
import { startServed, withDataDir } from "./served.ts";
import { announce, report, table } from "./table.ts";

const batches = 5;
const killsOfEach = 4;
const profiles = 64;
const concurrency = 8;

export async function runCrashesSuite(): Promise<void> {
  const kills = batches * killsOfEach;
  const conditions = announce("crashes", `${batches} batches of ${profiles} profiles, ${kills} kills in all`);
  const rows: string[][] = [["killed when so many had ended", "completed", "interrupted", "wrong"]];
  const findings: string[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const outcome = await withDataDir(async (dataDir) => {
      const start = async () => {
        const { served, end } = await startServed(dataDir);
        return {
          ...served.rest,
          approve: (scriptId: string) => callTroupe(dataDir, "script", "approve", scriptId),
          kill: () => end("SIGKILL"),
        };
      };
      const killed = await killedBatch({ profiles, concurrency, kills: killsOfEach, start });
      await killed.service.kill();
      return killed;
    });
    const { run, killedAt } = outcome;
    findings.push(...outcome.findings);
    rows.push([
      killedAt.join(", "),
      ...[run.profilesDone, run.profilesFailed, outcome.findings.length].map(String),
    ]);
  }
  const lines = findings.map((finding) => `WRONG  ${finding}`);
  report(
    "crashes",
    [table(rows), ...lines].join("\n"),
    [{ what: `findings after ${kills} kills`, figure: findings.length, limit: 0 }],
    { ...conditions, rows, findings },
  );
}
