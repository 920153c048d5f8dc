/** Controls the browser of the control page's window over the debugging pipe. */
import type { ChildProcess } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { withDeadline } from "../../actors/kernel/deadline.ts";

export interface WindowPipe {
  /** Resolves when a page of this origin is open. */
  shows(origin: string): Promise<void>;
  /** Brings that page to the front; false when there is none. Rejects when the browser does not answer within 2 s. */
  raise(): Promise<boolean>;
  close(): void;
}

/** A browser that is closing or hangs may never answer. */
const raiseMs = 2_000;

interface TargetInfo {
  targetId: string;
  type: string;
  url: string;
}

interface Message {
  id?: number;
  result?: { targetInfos?: TargetInfo[] };
  error?: { message: string };
  method?: string;
  params?: { targetInfo?: TargetInfo };
}

interface Waiting {
  resolve(result: Message["result"]): void;
  reject(error: Error): void;
}

/** Uses descriptors 3 and 4 of `child`. When they close, pending and later calls are rejected. */
export function openWindowPipe(child: ChildProcess): WindowPipe {
  const [, , , output, input] = child.stdio;
  if (!(output instanceof Writable) || !(input instanceof Readable)) {
    throw new TypeError("the browser was started without its debugging pipe");
  }
  const waiting = new Map<number, Waiting>();
  const followers = new Set<(target: TargetInfo) => void>();
  let calls = 0;
  let shown = "";
  let closed = false;

  const gone = () => {
    closed = true;
    for (const { reject } of waiting.values()) reject(new Error("the browser has ended"));
    waiting.clear();
  };
  const take = ({ id, result, error, params }: Message) => {
    if (params?.targetInfo !== undefined) for (const follow of followers) follow(params.targetInfo);
    if (id === undefined) return;
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  };
  const ask = (method: string, params: object = {}): Promise<Message["result"]> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new Error("the browser has ended"));
      calls += 1;
      waiting.set(calls, { resolve, reject });
      output.write(`${JSON.stringify({ id: calls, method, params })}\0`);
    });
  messagesOf(input, take);
  input.once("close", gone);
  output.on("error", gone); // EPIPE: the browser closed its end.

  const pageOf = (targets: TargetInfo[] = []) =>
    targets.find(({ type, url }) => type === "page" && shown !== "" && url.startsWith(shown));
  const raise = async () => {
    const page = pageOf((await ask("Target.getTargets"))?.targetInfos);
    if (page === undefined) return false;
    await ask("Target.activateTarget", { targetId: page.targetId });
    return true;
  };
  return {
    async shows(origin) {
      shown = origin;
      const page = new Promise<void>((resolve) => {
        followers.add((target) => {
          if (pageOf([target]) !== undefined) resolve();
        });
      });
      await ask("Target.setDiscoverTargets", { discover: true }); // Also reports the targets that exist already.
      await page;
      followers.clear();
    },
    raise: () => withDeadline(raise(), raiseMs, "the window's browser"),
    close() {
      void ask("Browser.close").catch(() => {}); // The browser may exit before it answers.
    },
  };
}

function messagesOf(input: Readable, take: (message: Message) => void): void {
  let text = "";
  input.setEncoding("utf8").on("data", (chunk: string) => {
    const [first = "", ...others] = chunk.split("\0");
    text += first;
    for (const other of others) {
      take(JSON.parse(text));
      text = other;
    }
  });
}
