/**
 * `npm run demo` and `troupe demo`: profiles shop in parallel. Starts Troupe on a temporary data directory, drives it only over the public REST API, and
 * checks the scripts' results against the data of the demo's shop.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { RunProfile } from "../../protocol/records.ts";
import { besideDemo, checkout } from "./place.ts";
import { openProgress } from "./progress.ts";
import { type Outcome, problemOf, tableOf, timingsOf } from "./report.ts";
import { connectRest, type Rest } from "./rest.ts";
import { type ShopServer, startShop } from "./shop/server.ts";
import { money, type Visit } from "./shop/shop.ts";
import { type Shopper, shoppers, variablesFor } from "./shoppers.ts";
import { callTroupe, type StartedTroupe, startTroupe } from "./troupe.ts";

interface Options {
  profiles: number;
  concurrency: number;
  /** The number of a profile that gets a wrong password, to show a failure; 0 for none. */
  fail: number;
  outputDir: string;
}

const pollMs = 150;
const say = (line: string) => process.stdout.write(`${line}\n`);

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      profiles: { type: "string", default: "8" },
      concurrency: { type: "string", default: "4" },
      fail: { type: "string", default: "0" },
      output: { type: "string", default: join(checkout() ?? ".", "demo-output") },
    },
  });
  const number = (text: string, min: number, max: number) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new Error(`expected an integer from ${min} to ${max}, got ${text}`);
  };
  return {
    profiles: number(values.profiles, 1, 50),
    concurrency: number(values.concurrency, 1, 50),
    fail: number(values.fail, 0, 50),
    outputDir: resolve(values.output),
  };
}

interface Named {
  id: string;
  name: string;
}

async function createProfiles(rest: Rest, count: number): Promise<Named[]> {
  const { created, failed } = await rest.createProfiles({ count, name_template: "Shopper {n}" });
  if (failed.length > 0) throw new Error(`profiles could not be created: ${JSON.stringify(failed)}`);
  say(`created ${created.length} profiles`);
  return created.map(({ profile_id, name }) => ({ id: profile_id, name }));
}

async function saveAndApprove(rest: Rest, dataDir: string): Promise<string> {
  const source = readFileSync(besideDemo("shopper-script.ts"), "utf8");
  const { scriptId, version } = await rest.saveScript({ name: "Go shopping", source });
  await callTroupe(dataDir, "script", "approve", scriptId);
  say(`saved a Raw script (version ${version}) and approved it on the command line`);
  return scriptId;
}

const boughtBy = ({ cart }: Visit) =>
  `${cart.items} ${cart.items === 1 ? "item" : "items"} for ${money(cart.totalCents)}`;

/** Waits for the run's end and shows each profile's status (from the API) and step (from the shop). */
async function watch(
  rest: Rest,
  runId: string,
  profiles: readonly Named[],
  all: readonly Shopper[],
  shop: ShopServer,
): Promise<RunProfile[]> {
  const progress = openProgress(process.stdout);
  for (;;) {
    const run = await rest.readRun(runId);
    const parts = await rest.readRunProfiles(runId);
    progress.show(
      profiles.map(({ id, name }, index) => {
        const part = parts.find(({ profileId }) => profileId === id);
        const shopper = all[index];
        const seen = shopper ? shop.shop.visitOf(shopper.user).lastStep : "";
        const done =
          part?.status === "completed" && shopper ? boughtBy(shop.shop.visitOf(shopper.user)) : null;
        const step = part?.error ?? done ?? (seen || (part?.status === "running" ? "opens the browser" : ""));
        return {
          name,
          status: part?.status ?? "waiting",
          startedAt: part?.startedAt ?? null,
          completedAt: part?.completedAt ?? null,
          step: step.split("\n")[0] ?? "",
        };
      }),
      Date.now(),
    );
    if (run.status !== "running") return parts;
    await delay(pollMs);
  }
}

/** Copies a part's screenshot out of the data directory. Returns its new path, relative to the working directory. */
function keepScreenshot(part: RunProfile, name: string, outputDir: string): string | null {
  const file = part.files.find((path) => path.endsWith(".png"));
  if (file === undefined) return null;
  const kept = join(outputDir, `${name.toLowerCase().replaceAll(" ", "-")}.png`);
  copyFileSync(file, kept);
  return relative(process.cwd(), kept);
}

async function shop(
  options: Options,
  troupe: StartedTroupe,
  dataDir: string,
  server: ShopServer,
): Promise<boolean> {
  const rest = connectRest(troupe.apiUrl, troupe.token);
  const all = shoppers(options.profiles);
  const profiles = await createProfiles(rest, options.profiles);
  const scriptId = await saveAndApprove(rest, dataDir);
  const variables = variablesFor(all, server.url);
  if (options.fail > 0) variables[`password_${options.fail}`] = "wrong";

  say(`${profiles.length} profiles go shopping, ${options.concurrency} at a time:`);
  const startMs = performance.now();
  const run = await rest.startBatch({
    script_id: scriptId,
    profile_ids: profiles.map(({ id }) => id),
    concurrency: options.concurrency,
    variables,
  });
  const parts = await watch(rest, run.id, profiles, all, server);
  const runTotalMs = performance.now() - startMs;

  mkdirSync(options.outputDir, { recursive: true });
  for (const name of readdirSync(options.outputDir)) {
    if (/^shopper-\d+\.png$/.test(name)) rmSync(join(options.outputDir, name));
  }
  const outcomes = profiles.flatMap(({ id, name }, index): Outcome[] => {
    const part = parts.find(({ profileId }) => profileId === id);
    const user = all[index]?.user ?? "";
    if (!part) return [];
    return [
      {
        name,
        user,
        part,
        visit: server.shop.visitOf(user),
        screenshot: keepScreenshot(part, name, options.outputDir),
      },
    ];
  });
  say(`\n${tableOf(outcomes)}\n${timingsOf(outcomes, runTotalMs, troupe.readyMs)}`);
  const problems = outcomes.flatMap((outcome) => problemOf(outcome) ?? []);
  if (outcomes.length !== profiles.length) problems.push(`the run lists ${outcomes.length} of its profiles`);
  for (const problem of problems) say(`FAILED  ${problem}`);
  return problems.length === 0;
}

async function main(): Promise<number> {
  const options = readOptions();
  const dataDir = mkdtempSync(join(tmpdir(), "troupe-demo-"));
  const server = await startShop(shoppers(options.profiles));
  let troupe: StartedTroupe | null = null;
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => reject(new Error(`ended by ${signal}`)));
    }
  });
  interrupted.catch(() => {}); // May be rejected when nothing waits for it.
  try {
    troupe = await Promise.race([startTroupe(dataDir), interrupted]);
    say(`Troupe is ready at ${troupe.apiUrl}, the shop at ${server.url}`);
    return (await Promise.race([shop(options, troupe, dataDir, server), interrupted])) ? 0 : 1;
  } finally {
    await troupe?.stop();
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    say(`FAILED  ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
