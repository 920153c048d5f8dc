/** The verb evaluate: one expression in the page's own world, its promise awaited, its value as JSON. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";
import type { Tab } from "./tabs.ts";

/** How long the page may take to show that it is alive before its script is held to be an endless loop. */
const probeMs = 300;

/** How long the browser may take to end what runs. */
const terminateMs = 3_000;

/**
 * Throws `conflict`: an exception in the page, a value over 64 KiB or without a JSON form, no end within `timeoutMs`. No user
 * gesture is claimed: the page could read it back in `navigator.userActivation`, and it costs a quarter of the call.
 */
export async function evaluate(
  tab: Tab,
  expression: string,
  timeoutMs: number = limits.evaluateTimeoutMs,
): Promise<unknown> {
  const sent = tab.session.send(
    "Runtime.evaluate",
    { expression, awaitPromise: true, returnByValue: true },
    Number.POSITIVE_INFINITY,
  );
  const reply = await within(sent, timeoutMs);
  if (reply === null) {
    sent.catch(() => {}); // Cut off below, or left to its promise; nobody waits for it.
    await cutOff(tab);
    throw new Fault("conflict", `the expression did not end within ${timeoutMs} ms`);
  }
  const { exceptionDetails, result } = reply.value;
  if (exceptionDetails !== undefined)
    throw new Fault("conflict", `the page threw: ${wordsOf(exceptionDetails)}`);
  return jsonValue(result);
}

/**
 * Ends what runs in the page, but only when it does: a termination that finds nothing running would strike the next
 * script instead, and a promise that is merely pending harms nobody.
 */
export async function cutOff(tab: Tab, graceMs: number = probeMs): Promise<void> {
  const probe = tab.session.send("Runtime.evaluate", { expression: "0" }, Number.POSITIVE_INFINITY);
  if ((await within(probe, graceMs)) !== null) return;
  // A renderer that is not merely busy does not answer this either.
  await tab.session.send("Runtime.terminateExecution", {}, terminateMs).catch(() => {});
  // A later call must not meet the termination: the probe has had its answer when it is over.
  await within(probe, terminateMs).catch(() => null);
}

function jsonValue(result: Protocol.Runtime.RemoteObject): unknown {
  if (result.type === "bigint")
    throw new Fault("conflict", "the result is a BigInt, which JSON does not have");
  if (result.unserializableValue !== undefined) return result.unserializableValue === "-0" ? 0 : null; // As JSON.stringify.
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
  if (thrown?.description !== undefined) return thrown.description; // An error's message and stack.
  if (thrown?.value !== undefined) return JSON.stringify(thrown.value);
  return details.text;
}
