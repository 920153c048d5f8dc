/** `troupe run`: saves a file as a script and runs it on profiles. */
import { createHash } from "node:crypto";
import { open, rm, stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Profile, Run, ScriptListing } from "../../protocol/records.ts";
import { csvText, outputRows } from "../../protocol/write-csv.ts";
import { type Api, type ApiFlags, openApi } from "./api.ts";
import { pairOf, readGiven } from "./flag-values.ts";
import { namesIn, profilesNamed } from "./ids-by-name.ts";
import { newFileRefusal } from "./new-file.ts";
import { complain, exitCodes, say, streams, WrongUsage } from "./output.ts";
import { type Watched, watchRun } from "./run-watch.ts";
import { show } from "./show.ts";

export interface RunFlags extends ApiFlags {
  profiles: string;
  concurrency?: number;
  staggerMs?: number;
  var?: string[];
  headless?: boolean;
  approve?: boolean;
  watch?: boolean;
  csv?: string;
  escapeFormulas?: boolean;
  json?: boolean;
}

/** Returns the exit code; with `--watch`: 0 completed, 4 partial, 1 failed or skipped. */
export async function runFile(path: string, flags: RunFlags): Promise<number> {
  if (flags.csv === "-" && flags.json === true)
    throw new WrongUsage("--csv - and --json would both write to the output; name a file with --csv");
  if (flags.csv !== undefined && flags.watch !== true)
    throw new WrongUsage("--csv needs --watch: the rows come at the end");
  const source = await readGiven("the script", path);
  const api = openApi(flags);
  if (flags.csv !== undefined) await tryWriting(flags.csv);
  const profiles = await profilesNamed(api, "profiles", namesIn(flags.profiles));
  const script = await savedScript(api, path === "-" ? "stdin" : basename(path), source);
  const approved = flags.approve === true ? await approve(api, script, source) : script.approved;
  const run = await start(api, script.id, profiles, flags, approved);
  if (flags.watch !== true) {
    say(flags.json === true ? JSON.stringify(run) : show(run));
    return exitCodes.ok;
  }
  const watched = await watchRun(api, run, profiles);
  await report(watched, profiles, flags);
  if (watched.run.status === "completed") return exitCodes.ok;
  return watched.run.status === "partial" ? exitCodes.partial : exitCodes.failed;
}

/** Refuses an unwritable file before the run, which may take hours. Changes nothing on disk. */
async function tryWriting(file: string): Promise<void> {
  if (file === "-") return;
  const found = await stat(file).catch(() => null);
  if (found !== null && !found.isFile() && !found.isDirectory()) return; // A pipe or terminal.
  try {
    await (await open(file, "a")).close();
    if (found === null) await rm(file);
  } catch (error) {
    throw newFileRefusal(error, file, "--csv");
  }
}

interface Saved {
  id: string;
  name: string;
  approved: boolean;
}

/** Replaces the script of this name that the API saved, or creates one. */
async function savedScript(api: Api, name: string, source: string): Promise<Saved> {
  const scripts = await api.call<ScriptListing[]>({ method: "GET", path: "/v1/scripts" });
  const before = scripts.find(
    (script) => script.name === name && script.origin === "api" && script.mode === "raw",
  );
  const { scriptId, approved } = await api.call<{ scriptId: string; approved: boolean }>({
    method: "POST",
    path: "/v1/scripts",
    body: { name, source, ...(before === undefined ? {} : { script_id: before.id }) },
  });
  return { id: scriptId, name, approved };
}

/** The caller has the source, so this is the user's approval. Throws `WrongUsage`, `conflict` (the source has changed). */
async function approve({ application }: Api, { id }: Saved, source: string): Promise<boolean> {
  if (application === null) {
    throw new WrongUsage(
      "--approve does not work with --api-url: approve the script on the service's machine",
    );
  }
  const sha256 = createHash("sha256").update(source).digest("hex");
  return (await application.approveScript({ scriptId: id, sha256 })).approved;
}

async function start(
  api: Api,
  scriptId: string,
  profiles: Profile[],
  flags: RunFlags,
  approved: boolean,
): Promise<Run> {
  const variables: Record<string, string> = Object.assign(
    {},
    ...(flags.var ?? []).map((pair) => pairOf("--var", pair)),
  );
  const { concurrency, staggerMs, headless = false } = flags;
  const profileIds = profiles.map(({ id }) => id);
  const batch = concurrency !== undefined || staggerMs !== undefined;
  const body = { script_id: scriptId, profile_ids: profileIds, variables };
  try {
    if (!batch)
      return await api.call({ method: "POST", path: "/v1/scripts/run", body: { ...body, headless } });
    if (api.application !== null) {
      const paces = { concurrency: concurrency ?? 0, staggerMs: staggerMs ?? 0 };
      return await api.application.startBatch({ scriptId, profileIds, variables, headless, ...paces });
    }
    if (headless)
      throw new WrongUsage("--headless does not work with --concurrency or --stagger-ms over --api-url");
    const paces = { ...(concurrency && { concurrency }), ...(staggerMs && { stagger_ms: staggerMs }) };
    return await api.call({ method: "POST", path: "/v1/scripts/batch", body: { ...body, ...paces } });
  } catch (error) {
    if (!approved)
      complain(
        `the script is not approved: read it, then add --approve, or: troupe scripts approve ${scriptId}`,
      );
    throw error;
  }
}

async function report({ run, parts }: Watched, profiles: Profile[], flags: RunFlags): Promise<void> {
  const names = new Map(profiles.map(({ id, name }) => [id, name]));
  const rows = outputRows(parts, (profileId) => names.get(profileId) ?? profileId);
  if (flags.csv !== undefined) {
    const { escapeFormulas = true } = flags;
    const text = csvText(rows, { first: ["profile"], escapeFormulas });
    if (flags.csv === "-") return void streams.out.write(text);
    try {
      await writeFile(flags.csv, text);
    } catch (error) {
      complain(`the run has ended, and its rows are kept; see: troupe runs read-profiles ${run.id} --json`);
      throw newFileRefusal(error, flags.csv, "--csv");
    }
  }
  if (flags.json === true) return say(JSON.stringify({ run, profiles: parts }));
  if (flags.csv !== undefined)
    say(`${rows.length} ${rows.length === 1 ? "row is" : "rows are"} in ${flags.csv}`);
  else if (rows.length > 0) say(show(rows));
}
