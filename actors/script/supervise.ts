/** One run of one script in one runner, from its start to its outcome. */
import type { HandoffOutcome } from "../../protocol/handoff.ts";
import { limits } from "../../protocol/limits.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import type { ScriptJob } from "../../protocol/messages/profile.ts";
import type { Clock } from "../kernel/clock.ts";
import { createEnding, type Ending } from "./ending.ts";
import type { Ledger } from "./log-and-output.ts";
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
  /** Receives the script's log and output; the caller may read it during the run. */
  ledger: Ledger;
  handoff(wish: { message: string; timeoutMs: number; signal: AbortSignal }): Promise<HandoffOutcome>;
  /** Aborts with an Error, the reason, to end the run early. */
  abort: AbortSignal;
}

/** Runs the script to its end. The process can do nothing more then, and its files are kept; the caller discards the runner. */
export async function supervise(supervision: Supervision): Promise<Omit<RunProfileOutcome, "isolation">> {
  const { runner, job, ledger } = supervision;
  let verdict: Verdict;
  let files: string[] = [];
  try {
    verdict = await run(supervision);
    runner.strike();
    const broken = await runner.overfull();
    if (broken !== null) throw new Error(broken); // Files of the last moment count too; of a workspace that is too large, none is kept.
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
  const over = new AbortController();
  let handing = false;
  const handOver = (wish: HandoffMessage) => {
    if (handing) return; // The context's function waits for one at a time.
    handing = true;
    handedOver(supervision, ending, wish, over.signal)
      .finally(() => {
        handing = false;
      })
      .catch(broke);
  };
  const onAbort = () => ending.stop(wordsOf(abort.reason));
  abort.addEventListener("abort", onAbort, { once: true });
  const broke = (error: unknown) => ending.decide({ error: `the run failed: ${wordsOf(error)}` });
  runner.exited.then((exit) => ending.conclude(exitVerdict(exit, runner.memory))).catch(broke);
  const relay = dial(supervision, ending, broke);
  relay.catch(() => {}); // `await` below throws it.
  try {
    runner.listen({
      message: (message) => (message.kind === "handoff" ? handOver(message) : hear(message, ledger, ending)),
      // No CDP message arrives before the start message, which is sent after the relay has opened.
      cdp: (text) => {
        relay.then((open) => open.send(text)).catch(broke);
      },
      line: (text) => note(ledger.log("print", text), ending),
      babble: (reason) => ending.decide({ error: `the script's process sent an invalid message: ${reason}` }),
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
    over.abort();
    abort.removeEventListener("abort", onAbort);
    relay.then((open) => open.close()).catch(() => {}); // The relay never opened, or the browser has ended.
  }
}

function dial(
  { runner, browser, policy }: Supervision,
  ending: Ending,
  onFault: (error: unknown) => void,
): Promise<Relay> {
  return openRelay({
    browser,
    policy,
    onMessage: (text) => {
      // All clients share the browser's channel, so the script's unread messages cannot wait in the browser.
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

type HandoffMessage = Extract<RunnerMessage, { kind: "handoff" }>;

/** Never rejects. Its end and the script's deadline are checked here: the process is not trusted. */
async function handedOver(
  { runner, job, handoff }: Supervision,
  ending: Ending,
  { message, timeoutMs }: HandoffMessage,
  signal: AbortSignal,
): Promise<void> {
  if (job.noHandoff !== undefined)
    return void runner.send({ kind: "handoff-end", outcome: null, error: job.noHandoff });
  const goOn = ending.pause();
  const { least, most, messageCharsMax } = limits.handoffMs;
  try {
    const outcome = await handoff({
      message: message.slice(0, messageCharsMax),
      timeoutMs: Math.min(most, Math.max(least, timeoutMs)),
      signal,
    });
    goOn();
    if (!signal.aborted) runner.send({ kind: "handoff-end", outcome, error: "" });
  } catch (error) {
    goOn();
    if (!signal.aborted) runner.send({ kind: "handoff-end", outcome: null, error: wordsOf(error) });
  }
}

function hear(message: Exclude<RunnerMessage, HandoffMessage>, ledger: Ledger, ending: Ending): void {
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

function note(breach: string | null, ending: Ending): void {
  if (breach !== null) ending.decide({ error: breach });
}
