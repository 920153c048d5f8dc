/** What becomes of parts in the fleet, as the head stores it. */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import type { HeadConfig, PartEnding } from "../../protocol/fleet.ts";
import type { LibraryApi, RunProfileOutcome, RunWork } from "../../protocol/messages/library.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import { failedOutcome, nothingDone } from "../../protocol/run-outcomes.ts";
import type { Archives } from "../fleet/archives.ts";
import type { HeadLedger, News, PartKey } from "../fleet/ledger.ts";
import { endingPlace, type Seal } from "../fleet/sealed.ts";
import { inBackground } from "../kernel/background.ts";
import type { Clock } from "../kernel/clock.ts";
import { isAnswer } from "../kernel/insist.ts";
import type { Log } from "../kernel/log.ts";
import type { Turns as Exclusively } from "../kernel/turns.ts";
import { removeOld } from "./fleet-look.ts";
import type { Term } from "./fleet-term.ts";
import type { Part } from "./part.ts";
import type { Turns } from "./profile-turns.ts";

export interface HeadParts {
  library: LibraryApi;
  pool: PoolApi;
  log: Log;
  clock: Clock;
  turns: Turns;
  /** For a profile whose browser runs on this machine. */
  startHere(work: RunWork, profileId: string): Part;
}

export interface Open {
  config: HeadConfig;
  ledger: HeadLedger;
  archives: Archives;
  seal: Seal;
  term: Term;
}

/** What the taker needs of them. */
export interface TakerOpen {
  config: Pick<HeadConfig, "dataDir">;
  ledger: Pick<HeadLedger, "noted" | "taken">;
  archives: Pick<Archives, "get" | "remove">;
  seal: Seal;
}

export interface TakerParts {
  library: Pick<LibraryApi, "notePlaced" | "endRunProfile" | "readRun" | "exitMeasured">;
  log: Log;
}

export const keyOf = ({ runId, profileId }: PartKey) => `${runId} ${profileId}`;
const partOf = ({ runId, profileId }: PartKey): PartKey => ({ runId, profileId });

/**
 * Stores one piece of news; a second call for the same part, while the first goes on, does nothing. `exclusively`: with no publication of
 * the profile's part, which would find neither its row nor its outcome.
 */
export function createTaker(
  open: TakerOpen,
  parts: TakerParts,
  exclusively: Exclusively,
  ended: (part: PartKey) => void,
) {
  const { library, log } = parts;
  const { ledger } = open;
  const taking = new Set<string>();
  /** Nobody waits for the outcome of a run that was deleted. */
  const refused = (news: News) => (error: unknown) => {
    if (!isAnswer(error)) throw error;
    if (error.kind !== "not-found") log.warn("an outcome is not stored", { ...partOf(news), error });
    return null;
  };
  const keep = async (news: News, known: Known | null) => {
    if (known !== null)
      await library.endRunProfile({ ...partOf(news), outcome: known.outcome }).catch(refused(news));
    ended(news); // Also when the answer to the next is lost, which shows the news no more.
    await ledger.taken(news);
  };
  return async (news: News): Promise<void> => {
    const key = keyOf(news);
    if (taking.has(key)) return;
    taking.add(key);
    try {
      if (news.begun) await library.notePlaced({ ...partOf(news), begun: true });
      if (news.state === "begun") return await ledger.noted(news);
      const ending = endingOf(open, news);
      const known = await outcomeOf(open, parts, news, ending).catch(refused(news));
      await exclusively(news.profileId, () => keep(news, known));
      const unneeded = known?.fetched ?? filesOf(ending);
      inBackground(log, "removing the files of a part", removeFiles(open, parts, unneeded));
    } finally {
      taking.delete(key);
    }
  };
}

interface Known {
  outcome: RunProfileOutcome;
  /** Those that are here now. One that could not be read stays in the store. */
  fetched: Files;
}

type Files = PartEnding["files"];

async function outcomeOf(open: TakerOpen, parts: TakerParts, news: News, ending: Ending): Promise<Known> {
  const without = (outcome: RunProfileOutcome): Known => ({ outcome, fetched: [] });
  if (news.ending === "interrupted") return without(failedOutcome("interrupted"));
  if (news.ending === "skipped" || ending === null) {
    const { error } = await parts.library.readRun({ runId: news.runId });
    return without({ status: "skipped", error, ...nothingDone() });
  }
  if (ending instanceof Fault) return without(failedOutcome(ending.message));
  await noteExit(parts, news.profileId, ending);
  const { paths, lost, fetched } = await fetchFiles(open, news, ending);
  const { outcome } = ending;
  return { outcome: { ...outcome, files: paths, log: [...outcome.log, ...lost] }, fetched };
}

/** A fault: it cannot be opened. Null: there is none. */
type Ending = PartEnding | Fault | null;

function endingOf({ seal }: TakerOpen, news: News): Ending {
  try {
    return news.outcome === null ? null : seal.open<PartEnding>(news.outcome, endingPlace(news));
  } catch (error) {
    return error instanceof Fault ? error : new Fault("internal", faultRecord(error).message);
  }
}

const filesOf = (ending: Ending): Files => (ending === null || ending instanceof Fault ? [] : ending.files);

/** The library has them, or nobody waits for them any more. */
async function removeFiles({ archives }: TakerOpen, { log }: TakerParts, files: Files): Promise<void> {
  for (const { archive } of files) await removeOld(archives, log, archive.key);
}

/** The exit of the profile's proxy, as the machine measured it that opened the browser. */
async function noteExit({ library }: TakerParts, profileId: string, { exit }: PartEnding): Promise<void> {
  if (exit === null) return;
  const { measurement, host, port } = exit;
  await library.exitMeasured({ profileId, host, port, measurement }).catch((error: unknown) => {
    if (!isAnswer(error)) throw error; // The profile or its proxy was removed meanwhile.
  });
}

async function fetchFiles(
  { config, archives }: TakerOpen,
  { runId, profileId }: News,
  { files }: PartEnding,
) {
  const scratch = join(config.dataDir, "runs", runId, profileId);
  const paths: string[] = [];
  const fetched: Files = [];
  const lost: string[] = [];
  for (const file of files) {
    const { name, archive } = file;
    const path = join(scratch, name);
    if (!path.startsWith(`${scratch}/`)) continue;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await archives.get(archive, path);
      paths.push(path);
      fetched.push(file);
    } catch (error) {
      if (!isAnswer(error)) throw error;
      lost.push(`error: the file ${name} is lost: ${error.message}`);
    }
  }
  return { paths, lost, fetched };
}
