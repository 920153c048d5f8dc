/** One run of one script in one runner: feeds it, listens to it, and says what became of it. */

import { limits } from "../../protocol/limits.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import type { ScriptJob } from "../../protocol/messages/profile.ts";
import type { Clock } from "../kernel/clock.ts";
import { createEnding, type Ending } from "./ending.ts";
import type { Ledger } from "./ledger.ts";
import type { RunnerMessage, StrippedScript } from "./messages.ts";
import { openRelay, type Policy, type Relay, type ScriptBrowser } from "./relay.ts";
import type { RunnerProcess } from "./spawn.ts";
import { stripTypes } from "./strip.ts";
import { completedVerdict, exitVerdict, thrownVerdict, type Verdict } from "./verdict.ts";
import { collectFiles } from "./workspace.ts";

export interface Supervision {
  runner: RunnerProcess;
  job: ScriptJob;
  profile: { id: string; name: string };
  uploadsDir: string;
  browser: ScriptBrowser;
  policy: Policy;
  clock: Clock;
  /** What the script says is noted here; whoever gave it may read it meanwhile. */
  ledger: Ledger;
  /** Aborts with the reason, an Error, when the run is to end early. */
  abort: AbortSignal;
}

/**
 * Runs the script to its end, whatever that is. Answers when its process can do nothing more and its files are kept; the process
 * and its private directory are the caller's to discard.
 */
export async function supervise(supervision: Supervision): Promise<Omit<RunProfileOutcome, "isolation">> {
  const { runner, job, ledger } = supervision;
  let verdict: Verdict;
  let files: string[] = [];
  try {
    verdict = await run(supervision);
    runner.strike();
    const broken = await runner.overfull();
    if (broken !== null) throw new Error(broken); // What came in the last moment; and nothing is kept of what is too much.
    files = await collectFiles(runner.workspace, job.scratchDir);
  } catch (error) {
    verdict = { error: wordsOf(error) };
  }
  return {
    status: verdict.error === null ? "completed" : "failed",
    error: verdict.error === null ? null : verdict.error.slice(0, limits.scriptErrorCharsMax),
    result: verdict.error === null ? verdict.result : null,
    output: ledger.rows(),
    log: ledger.tail(),
    files,
    launchMs: null,
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function run(supervision: Supervision): Promise<Verdict> {
  const { runner, job, clock, ledger, abort } = supervision;
  abort.throwIfAborted();
  const ending = createEnding(runner, job.timeoutMs, clock);
  const onAbort = () => ending.stop(wordsOf(abort.reason));
  abort.addEventListener("abort", onAbort, { once: true });
  const broke = (error: unknown) => ending.decide({ error: `the run broke: ${wordsOf(error)}` });
  runner.exited.then((exit) => ending.conclude(exitVerdict(exit, runner.memory))).catch(broke);
  const relay = dial(supervision, ending, broke);
  relay.catch(() => {}); // Thrown where it is awaited, below.
  try {
    runner.listen({
      message: (message) => hear(message, ledger, ending),
      // Nothing is said over CDP before the runner was told to start, and that is after the dialling.
      cdp: (text) => {
        relay.then((open) => open.send(text)).catch(broke);
      },
      line: (text) => note(ledger.log("print", text), ending),
      babble: (reason) => ending.decide({ error: `the script's process broke its protocol: ${reason}` }),
    });
    const [stripped] = await Promise.all([
      stripTypes(job.source),
      relay,
      Promise.race([runner.ready, ending.decided]),
    ]);
    start(supervision, stripped);
    return await ending.decided;
  } finally {
    ending.close();
    abort.removeEventListener("abort", onAbort);
    relay.then((open) => open.close()).catch(() => {}); // There is nothing to close, or the browser is gone.
  }
}

/** Connects the runner's CDP messages with the browser, in both directions. */
function dial(
  { runner, browser, policy }: Supervision,
  ending: Ending,
  onFault: (error: unknown) => void,
): Promise<Relay> {
  return openRelay({
    browser,
    policy,
    onMessage: (text) => {
      // The browser's channel is everybody's: what the script does not read cannot wait in the browser.
      if (runner.sendCdp(text) <= limits.scriptUnreadBytesMax) return;
      ending.decide({
        error: `the script left more than ${limits.scriptUnreadBytesMax / 1024 ** 2} MiB of its browser's messages unread`,
      });
    },
    onCongestion: (congested) => runner.holdBack(congested),
    onFault,
    onClose: () => ending.conclude({ error: "the browser closed while the script was running" }),
  });
}

function start({ runner, job, profile, uploadsDir, browser }: Supervision, stripped: StrippedScript): void {
  runner.send({
    kind: "start",
    ...stripped,
    cdpUrl: job.approved ? browser.cdpUrl : `cdp://run/${job.runId}`,
    variables: job.variables,
    row: job.row ?? null,
    rows: job.rows ?? [],
    profile,
    run: { id: job.runId },
    scratchDir: runner.workspace.scratchDir,
    artifactsDir: runner.workspace.tempDir,
    uploadsDir,
  });
}

function hear(message: RunnerMessage, ledger: Ledger, ending: Ending): void {
  switch (message.kind) {
    case "attached":
      ending.begun();
      break;
    case "log":
      note(ledger.log(message.level, message.text), ending);
      break;
    case "output":
      note(ledger.output(message.row), ending);
      break;
    case "completed":
      ending.conclude(completedVerdict(message.result));
      break;
    case "failed":
      if (message.stack !== "") ledger.log("error", message.stack);
      ending.conclude(thrownVerdict(message.message, message.stack));
  }
}

/** A limit that was broken ends the run. */
function note(breach: string | null, ending: Ending): void {
  if (breach !== null) ending.decide({ error: breach });
}
