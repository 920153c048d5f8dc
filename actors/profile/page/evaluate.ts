/** The verb evaluate: an expression or statements in the page's own world, as in a console. Awaits a promise and returns JSON. */
import { Script } from "node:vm";
import { Fault, quoting, worded } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { CdpSession, Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";
import type { Tab } from "./tab.ts";
import type { Work } from "./work.ts";

export const work: Work<"evaluate"> = ({ inTab }, { expression }) =>
  inTab(async (tab) => ({ result: await evaluate(tab, expression) }));

/** Characters of a reason that the page wrote. */
const wordsMax = 2_000;

/** A page that does not answer within this runs an endless loop. */
const probeMs = 300;

const terminateMs = 3_000;

/** Throws `conflict` for an exception, a value over 64 KiB or without JSON, or a timeout. Sets no user gesture, as pages could see it. */
async function evaluate(tab: Tab, expression: string): Promise<unknown> {
  const timeoutMs = limits.evaluateTimeoutMs;
  const sent = resultOf(tab, expression);
  const reply = await within(sent, timeoutMs);
  if (reply !== null) return reply.value;
  sent.catch(() => {}); // Ended below, or a pending promise.
  await cutOff(tab);
  throw new Fault("conflict", `the expression did not end within ${timeoutMs} ms`);
}

async function resultOf({ session }: Tab, source: string): Promise<unknown> {
  const inTime = Number.POSITIVE_INFINITY; // The caller has the deadline.
  const held = { objectGroup: "evaluate", awaitPromise: true };
  const single = expressionOf(source);
  // As in a console: `await` anywhere, and a name may be declared again. What needs neither is faster without that mode.
  const replMode = single === null || /\bawait\b/.test(single);
  const params =
    single === null
      ? { ...held, expression: source, replMode }
      : {
          ...held,
          expression: `${replMode ? "await " : ""}(${jsonOfValue})((${single}\n))`,
          replMode,
          returnByValue: true,
        };
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", params, inTime);
  if (exceptionDetails !== undefined) throw await thrown(session, exceptionDetails);
  if (single !== null) return jsonIn(result.value);
  const { objectId } = result;
  if (objectId === undefined || result.type === "symbol") return plainValue(result);
  // `jsonOfValue` cannot enclose statements, so the object that they end with needs a second call.
  const functionDeclaration = `function () { return (${jsonOfValue})(this); }`;
  const own = { ...held, objectId, functionDeclaration, returnByValue: true };
  const reply = await session.send("Runtime.callFunctionOn", own, inTime);
  if (reply.exceptionDetails !== undefined) throw await thrown(session, reply.exceptionDetails);
  releaseHeld(session);
  return jsonIn(reply.result.value);
}

const gap = String.raw`(?:\s|//.*|/\*[\s\S]*?\*/)*`;
const declaration = new RegExp(`^${gap}(?:async${gap}function|function|class|let)\\b`);
const braced = new RegExp(`^${gap}\\{`);

/** The source when it is one expression, including an object in braces as in a console; null for statements. */
function expressionOf(source: string): string | null {
  if (declaration.test(source)) return null;
  let text = source.trimEnd();
  if (!braced.test(source)) while (text.endsWith(";")) text = text.slice(0, -1).trimEnd();
  try {
    // Both, because either alone would take a source that closes the bracket itself.
    for (const inBrackets of [`(${text}\n)`, `[${text}\n]`]) new Script(`async () => ${inBrackets}`);
    return text;
  } catch {
    return null;
  }
}

/** What `jsonOfValue` returns in the page. */
interface Found {
  /** Absent for undefined and functions. */
  json?: string;
  lacks?: "bigint" | "symbol";
  bytes?: number;
  reason?: string;
}

/** On one line, so that errors name the lines of the source. */
const jsonOfValue = `async (value) => {
  const found = await value;
  if (typeof found === "bigint" || typeof found === "symbol") return { lacks: typeof found };
  try {
    const json = JSON.stringify(found);
    if (json === undefined || json.length <= ${limits.evaluateResultBytesMax}) return { json };
    return { bytes: new TextEncoder().encode(json).length };
  } catch (error) {
    let reason = "an exception without words";
    try {
      reason = String(error?.message ?? error);
    } catch {}
    return { reason: reason.slice(0, ${wordsMax}) };
  }
}`.replace(/\s*\n\s*/g, " ");

/** Terminates a running script, only if there is one: a termination without one would end the next script instead. */
export async function cutOff(tab: Tab, graceMs: number = probeMs): Promise<void> {
  const probe = tab.session.send("Runtime.evaluate", { expression: "0" }, Number.POSITIVE_INFINITY);
  if ((await within(probe, graceMs)) !== null) return;
  await tab.session.send("Runtime.terminateExecution", {}, terminateMs).catch(() => {});
  // Wait for the probe, or the termination could end a later call.
  await within(probe, terminateMs).catch(() => null);
}

function jsonIn({ json, lacks, bytes, reason }: Found): unknown {
  if (reason !== undefined)
    throw new Fault("conflict", worded`the result cannot be made JSON: ${quoting(reason)}`);
  if (lacks !== undefined) throw withoutJson(lacks);
  if (bytes !== undefined) throw tooLarge(bytes);
  if (json === undefined) return null;
  const length = Buffer.byteLength(json);
  if (length > limits.evaluateResultBytesMax) throw tooLarge(length);
  if (levelsOf(json) > levelsMax)
    throw new Fault("conflict", `the result is nested more than ${levelsMax} levels deep`);
  return JSON.parse(json);
}

/** The value of a reply without an object: a primitive, as `JSON.stringify` has it. */
function plainValue({ type, unserializableValue, value }: Protocol.Runtime.RemoteObject): unknown {
  if (type === "bigint" || type === "symbol") throw withoutJson(type);
  if (unserializableValue !== undefined) return unserializableValue === "-0" ? 0 : null;
  return value === undefined ? null : jsonIn({ json: JSON.stringify(value) });
}

function withoutJson(type: "bigint" | "symbol"): Fault {
  const name = type === "bigint" ? "a BigInt" : "a symbol";
  return new Fault("conflict", `the result is ${name}, which JSON does not have`);
}

function tooLarge(bytes: number): Fault {
  return new Fault(
    "conflict",
    `the result is ${bytes} bytes of JSON, more than the ${limits.evaluateResultBytesMax} allowed`,
  );
}

/** Deeper values would exhaust the stack where they are sent on. */
const levelsMax = 1_000;

function levelsOf(json: string): number {
  if (json.length < levelsMax) return 0;
  let now = 0;
  let most = 0;
  for (const sign of json.replace(/"(?:[^"\\]|\\.)*"/g, "")) {
    if (sign === "[" || sign === "{") most = Math.max(most, ++now);
    else if (sign === "]" || sign === "}") now--;
  }
  return most;
}

/** this: something thrown that is no Error. Its message, or its JSON. */
const wordsOfThrown = `function () {
  const words = typeof this.message === "string" && this.message ? this.message : JSON.stringify(this);
  return words === "{}" ? undefined : words?.slice(0, ${wordsMax});
}`;

async function thrown(session: CdpSession, details: Protocol.Runtime.ExceptionDetails): Promise<Fault> {
  return new Fault("conflict", worded`the page threw: ${quoting(await wordsOf(session, details))}`);
}

async function wordsOf(session: CdpSession, details: Protocol.Runtime.ExceptionDetails): Promise<string> {
  const { exception, text } = details;
  if (exception === undefined) return text;
  const { objectId, subtype, description, value } = exception;
  if (objectId === undefined)
    return description ?? (value === undefined ? exception.type : JSON.stringify(value));
  // The description of an error is its message and stack; of another object, its class.
  const own =
    subtype === "error" || exception.type !== "object"
      ? null
      : await session
          .send("Runtime.callFunctionOn", {
            objectId,
            functionDeclaration: wordsOfThrown,
            returnByValue: true,
          })
          .catch(() => null);
  releaseHeld(session);
  const words = own?.exceptionDetails === undefined ? own?.result.value : undefined;
  return typeof words === "string" ? words : (description ?? text);
}

function releaseHeld(session: CdpSession): void {
  session.send("Runtime.releaseObjectGroup", { objectGroup: "evaluate" }).catch(() => {});
}
