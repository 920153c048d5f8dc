/** The verb evaluate: one expression in the page's own world. Awaits a promise and returns JSON. */
import { Fault, quoting, worded } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";
import type { Tab } from "./tabs.ts";
import type { Work } from "./work.ts";

export const work: Work<"evaluate"> = ({ inTab }, { expression }) =>
  inTab(async (tab) => ({ result: await evaluate(tab, expression) }));

/** A page that does not answer within this runs an endless loop. */
const probeMs = 300;

const terminateMs = 3_000;

/** Throws `conflict` for an exception, a value over 64 KiB or without JSON, or a timeout. Sets no user gesture, as pages could see it. */
async function evaluate(tab: Tab, expression: string): Promise<unknown> {
  const timeoutMs = limits.evaluateTimeoutMs;
  const sent = tab.session.send(
    "Runtime.evaluate",
    { expression, awaitPromise: true, returnByValue: true },
    Number.POSITIVE_INFINITY,
  );
  const reply = await within(sent, timeoutMs);
  if (reply === null) {
    sent.catch(() => {}); // Ended below, or a pending promise.
    await cutOff(tab);
    throw new Fault("conflict", `the expression did not end within ${timeoutMs} ms`);
  }
  const { exceptionDetails, result } = reply.value;
  if (exceptionDetails !== undefined)
    throw new Fault("conflict", worded`the page threw: ${quoting(wordsOf(exceptionDetails))}`);
  return jsonValue(result);
}

/** Terminates a running script, only if there is one: a termination without one would end the next script instead. */
export async function cutOff(tab: Tab, graceMs: number = probeMs): Promise<void> {
  const probe = tab.session.send("Runtime.evaluate", { expression: "0" }, Number.POSITIVE_INFINITY);
  if ((await within(probe, graceMs)) !== null) return;
  await tab.session.send("Runtime.terminateExecution", {}, terminateMs).catch(() => {});
  // Wait for the probe, or the termination could end a later call.
  await within(probe, terminateMs).catch(() => null);
}

function jsonValue(result: Protocol.Runtime.RemoteObject): unknown {
  if (result.type === "bigint")
    throw new Fault("conflict", "the result is a BigInt, which JSON does not have");
  if (result.unserializableValue !== undefined) return result.unserializableValue === "-0" ? 0 : null; // As in JSON.stringify.
  const value: unknown = result.value ?? null;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > limits.evaluateResultBytesMax) {
    throw new Fault(
      "conflict",
      `the result is ${bytes} bytes of JSON, more than the ${limits.evaluateResultBytesMax} allowed`,
    );
  }
  return value;
}

function wordsOf(details: Protocol.Runtime.ExceptionDetails): string {
  const thrown = details.exception;
  if (thrown?.description !== undefined) return thrown.description; // Message and stack of an error.
  if (thrown?.value !== undefined) return JSON.stringify(thrown.value);
  return details.text;
}
