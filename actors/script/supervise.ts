/** One run of one script in one runner: feeds it, holds it to its limits, and says what became of it. */

import { limits } from "../../protocol/limits.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import type { ScriptJob } from "../../protocol/messages/profile.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import { createDeferred } from "./deferred.ts";
import { createLedger } from "./ledger.ts";
import { exitCodes, type RunnerMessage } from "./messages.ts";
import { firstPosition } from "./positions.ts";
import { type Judgement, openRelay, type Relay } from "./relay.ts";
import type { RunnerExit, RunnerProcess } from "./spawn.ts";
import { stripTypes } from "./strip.ts";
import { collectFiles } from "./workspace.ts";

export interface Supervision {
  runner: RunnerProcess;
  job: ScriptJob;
  profile: { id: string; name: string };
  uploadsDir: string;
  cdpHttpUrl: string;
  judge: (text: string) => Judgement;
  clock: Clock;
  /** Aborts with the reason, an Error, when the run is to end early. */
  abort: AbortSignal;
}

type Verdict = { error: null; result: unknown } | { error: string };

/** Runs the script to its end, whatever that is. Afterwards no process and no private directory is left. */
export async function supervise(supervision: Supervision): Promise<RunProfileOutcome> {
  const { runner, job } = supervision;
  const ledger = createLedger();
  let verdict: Verdict;
  let files: string[] = [];
  try {
    verdict = await run(supervision, ledger);
    await runner.kill();
    files = await collectFiles(runner.workspace, job.scratchDir);
  } catch (error) {
    verdict = { error: error instanceof Error ? error.message : String(error) };
  } finally {
    await runner.discard();
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

async function run(supervision: Supervision, ledger: ReturnType<typeof createLedger>): Promise<Verdict> {
  const { runner, job, profile, uploadsDir, cdpHttpUrl, judge, clock, abort } = supervision;
  abort.throwIfAborted();
  const { promise: decided, resolve: decide } = createDeferred<Verdict>();
  const timers = new Set<Timer>();
  const after = (ms: number, fire: () => void) => void timers.add(clock.timer(ms, fire));
  let relay: Relay | null = null;
  let attached = false;
  let ending: string | null = null;

  /** The ladder: tell the script, give it two seconds, then end its process. */
  const stop = (reason: string) => {
    if (ending !== null) return;
    ending = reason;
    if (!attached) return decide({ error: reason });
    runner.send({ kind: "abort", reason });
    after(limits.scriptAbortGraceMs, () => decide({ error: reason }));
  };
  const conclude = (verdict: Verdict) => decide(ending === null ? verdict : { error: ending });
  const message = (said: RunnerMessage) => {
    const breach =
      said.kind === "log"
        ? ledger.log(said.level, said.text)
        : said.kind === "output"
          ? ledger.output(said.row)
          : null;
    if (breach !== null) decide({ error: breach });
    else if (said.kind === "attached") {
      attached = true;
      after(job.timeoutMs, () => stop(`the script ran longer than ${duration(job.timeoutMs)}`));
    } else if (said.kind === "completed") conclude(completed(said.result));
    else if (said.kind === "failed") {
      if (said.stack !== "") ledger.log("error", said.stack);
      conclude({ error: withPosition(said.message, said.stack) });
    }
  };
  runner.listen({
    message,
    cdp: (text) => relay?.send(text),
    line: (text) => {
      const breach = ledger.log("print", text);
      if (breach !== null) decide({ error: breach });
    },
    babble: (reason) => decide({ error: `the script's process broke its protocol: ${reason}` }),
    drain: () => relay?.resume(),
  });
  void runner.exited.then((exit) => conclude({ error: exitError(exit) }));
  abort.addEventListener("abort", () => stop(abortReason(abort)), { once: true });
  after(limits.scriptStartTimeoutMs, () => {
    if (!attached) stop(`the script did not start within ${duration(limits.scriptStartTimeoutMs)}`);
  });
  const watchMemory = () =>
    after(limits.scriptMemoryPollMs, () => {
      void runner.residentBytes().then((bytes) => {
        if (bytes !== null && bytes > limits.scriptRssBytesMax) decide({ error: memoryError });
        else watchMemory();
      });
    });
  watchMemory();
  try {
    const [stripped] = await Promise.all([
      stripTypes(job.source),
      openRelay({
        cdpHttpUrl,
        judge,
        onMessage: (text) => {
          if (!runner.sendCdp(text)) relay?.pause();
        },
        onCongestion: (congested) => runner.holdBack(congested),
        onClose: () => conclude({ error: "the browser closed while the script was running" }),
      }).then((opened) => {
        relay = opened;
      }),
      Promise.race([runner.ready, decided]),
    ]);
    runner.send({
      kind: "start",
      ...stripped,
      cdpUrl: job.approved ? cdpHttpUrl : `cdp://run/${job.runId}`,
      variables: job.variables,
      profile,
      scratchDir: runner.workspace.scratchDir,
      artifactsDir: runner.workspace.tempDir,
      uploadsDir,
    });
    return await decided;
  } finally {
    for (const timer of timers) timer.cancel();
    closeRelay(relay);
  }
}

/** A function of its own: the compiler takes the variable, set in a callback, for null. */
function closeRelay(relay: Relay | null): void {
  relay?.close();
}

const memoryError = `the script used more memory than it may: ${limits.scriptHeapMb} MiB of heap, ${limits.scriptRssBytesMax / 1024 ** 2} MiB in all`;

function completed(result: string): Verdict {
  if (Buffer.byteLength(result) > limits.scriptResultBytesMax)
    return { error: `run returned more than ${limits.scriptResultBytesMax} bytes of JSON` };
  try {
    return { error: null, result: JSON.parse(result) };
  } catch {
    return { error: "run returned something that is not JSON" };
  }
}

/** The message with the user's own line at the end of its first line, unless it names one already. */
function withPosition(message: string, stack: string): string {
  const at = firstPosition(stack);
  if (at === null || firstPosition(message) !== null) return message;
  const [first = "", ...rest] = message.split("\n");
  return [`${first} (${at})`, ...rest].join("\n");
}

function exitError({ code, signal, outOfMemory }: RunnerExit): string {
  if (code === exitCodes.logFlood) return `the script logged more than ${limits.scriptLogBytesMax} bytes`;
  if (code === exitCodes.outputFlood)
    return `the script handed over more than ${limits.scriptOutputRowsMax} rows or ${limits.scriptOutputBytesMax} bytes of output`;
  if (outOfMemory) return memoryError;
  const how = signal === null ? `exit code ${code}` : signal;
  return `the script's process ended before run did (${how})`;
}

function abortReason(signal: AbortSignal): string {
  return signal.reason instanceof Error ? signal.reason.message : String(signal.reason);
}

function duration(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000} min`;
  return ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`;
}
