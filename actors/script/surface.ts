/** The context object that a script's `run` function receives (actors/script/README.md, "Sandbox"). */
import { Console } from "node:console";
import { Writable } from "node:stream";
import { inspect } from "node:util";
import type { LogFunction, ScriptContext } from "@troupe/script";
import type { HandoffOutcome } from "../../protocol/handoff.ts";
import { jsonExcess } from "../../protocol/json-bounds.ts";
import { limits } from "../../protocol/limits.ts";
import type { Attached } from "./attach.ts";
import type { Channel } from "./channel.ts";
import { exitCodes, type StartMessage } from "./messages.ts";

/** Builds the context; `mapped` maps positions in texts back to the user's lines. */
export function createContext(
  start: StartMessage,
  attached: Attached,
  channel: Channel,
  signal: AbortSignal,
  mapped: (text: string) => string,
  handoffs: Handoffs,
): ScriptContext {
  const log = createLogFunctions(channel, mapped);
  globalThis.console = consoleOf(log);
  return {
    ...attached,
    cdpUrl: start.cdpUrl,
    variables: start.variables,
    row: start.row,
    rows: start.rows,
    profile: start.profile,
    run: start.run,
    log,
    output: createOutput(channel),
    signal,
    sleep: (ms) => sleep(ms, signal),
    handoff: createHandoffFunction(channel, handoffs),
    scratchDir: start.scratchDir,
    uploadsDir: start.uploadsDir,
  };
}

/** Node's own console needs the streams of the process. Tables and the like are logged line by line. */
function consoleOf(log: ScriptContext["log"]): Console {
  const lines = new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      log.info(String(text).replace(/\n$/, ""));
      done();
    },
  });
  const { debug, info, warn, error } = log;
  return Object.assign(new Console(lines), { log: info, info, debug, warn, error });
}

function createLogFunctions(channel: Channel, mapped: (text: string) => string): ScriptContext["log"] {
  let bytes = 0;
  const at =
    (level: string): LogFunction =>
    (...parts) => {
      const line = parts.map((part) => (typeof part === "string" ? part : inspect(part))).join(" ");
      const text = mapped(line).slice(0, limits.scriptLogLineCharsMax);
      bytes += Buffer.byteLength(text);
      // The owner counts too, but a script that never yields would fill its memory before any packet is sent.
      if (bytes > limits.scriptLogBytesMax) process.exit(exitCodes.logFlood);
      channel.send({ kind: "log", level, text });
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function createOutput(channel: Channel): ScriptContext["output"] {
  let rows = 0;
  let bytes = 0;
  return (row) => {
    if (typeof row !== "object" || row === null || Array.isArray(row))
      throw new TypeError("output takes one object, a row of column names and values");
    const text = JSON.stringify(row);
    const excess = jsonExcess(Buffer.from(text));
    if (excess !== null) throw new RangeError(`an output row ${excess}`);
    rows += 1;
    bytes += Buffer.byteLength(text);
    if (rows > limits.scriptOutputRowsMax || bytes > limits.scriptOutputBytesMax)
      process.exit(exitCodes.outputFlood);
    channel.send({ kind: "output", row: text });
  };
}

/** The answers to handoffs: the runner calls `settle` with each. */
export interface Handoffs {
  settle: (outcome: HandoffOutcome | null, error: string) => void;
}

function createHandoffFunction(channel: Channel, handoffs: Handoffs): ScriptContext["handoff"] {
  let waiting = false;
  return async (message, { timeoutMs = limits.handoffMs.usual } = {}) => {
    const { least, most, messageCharsMax } = limits.handoffMs;
    if (typeof message !== "string" || message === "" || message.length > messageCharsMax)
      throw new TypeError(`handoff takes a message of 1 to ${messageCharsMax} characters`);
    if (!Number.isInteger(timeoutMs) || timeoutMs < least || timeoutMs > most)
      throw new RangeError(`handoff's timeoutMs must be an integer from ${least} to ${most}`);
    if (waiting) throw new Error("the script waits for the user already");
    waiting = true;
    const { outcome, error } = await new Promise<{ outcome: HandoffOutcome | null; error: string }>(
      (resolve) => {
        handoffs.settle = (outcome, error) => resolve({ outcome, error });
        channel.send({ kind: "handoff", message, timeoutMs });
      },
    );
    waiting = false;
    if (outcome === null) throw new Error(error);
    return outcome;
  };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const give = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", give);
      resolve();
    }, ms);
    signal.addEventListener("abort", give, { once: true });
  });
}
