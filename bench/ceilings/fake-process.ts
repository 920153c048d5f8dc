/**
 * Takes the place of `actors/profile/chromium/process.ts` in the threads that suite `ceilings` starts: a browser that answers at once, in
 * the thread that owns it, so that what is measured is ours.
 */
import { PassThrough } from "node:stream";
import { messageLength, read } from "../../actors/profile/cdp/cbor.ts";
import { encode } from "../../actors/profile/cdp/cbor-write.ts";
import type { BrowserProcess, ProcessEnd } from "../../actors/profile/chromium/process.ts";

interface Command {
  id: number;
  method: string;
  sessionId?: string;
}

/** Above the kernel's highest, so that no signal meets a process. */
let lastPid = 2 ** 22;

const session = "page-session";
const target = {
  targetId: "page-target",
  type: "page",
  title: "",
  url: "about:blank",
  attached: true,
  canAccessOpener: false,
  browserContextId: "context",
};
const frame = {
  id: target.targetId,
  loaderId: "loader",
  url: target.url,
  domainAndRegistry: "",
  securityOrigin: "://",
  mimeType: "text/html",
  secureContextType: "InsecureScheme",
  crossOriginIsolatedContextType: "NotIsolated",
  gatedAPIFeatures: [],
};
const context = {
  id: 1,
  origin: "://",
  name: "",
  uniqueId: "1.1",
  auxData: { isDefault: true, type: "default", frameId: frame.id },
};

const replies: Record<string, object> = {
  "Page.getFrameTree": { frameTree: { frame } },
  "Page.createIsolatedWorld": { executionContextId: 2 },
  "Page.addScriptToEvaluateOnNewDocument": { identifier: "1" },
  "Runtime.evaluate": { result: { type: "number", value: 2, description: "2" } },
  "Runtime.callFunctionOn": { result: { type: "number", value: 2, description: "2" } },
  "Target.getTargetInfo": { targetInfo: target },
  "Target.getTargets": { targetInfos: [target] },
  "Browser.getWindowForTarget": { windowId: 1, bounds: { windowState: "normal" } },
  "Storage.getCookies": { cookies: [] },
};

export function spawnBrowser(): BrowserProcess {
  lastPid += 1;
  const output = new PassThrough();
  const input = new PassThrough();
  let isAlive = true;
  let isAttached = false;
  let settle: (end: ProcessEnd) => void = () => {};
  const ended = new Promise<ProcessEnd>((resolve) => {
    settle = resolve;
  });
  const end = () => {
    isAlive = false;
    input.end();
    settle({ code: 0, how: "exit code 0" });
  };
  const say = (message: object) => void input.write(encode(message));
  const answer = ({ id, method, sessionId }: Command) => {
    const of = sessionId === undefined ? {} : { sessionId };
    say({ id, result: replies[method] ?? {}, ...of });
    if (method === "Browser.close") end();
    if (method === "Runtime.enable")
      say({ method: "Runtime.executionContextCreated", params: { context }, ...of });
    if (method !== "Target.setAutoAttach" || sessionId !== undefined || isAttached) return;
    isAttached = true;
    const params = { sessionId: session, targetInfo: target, waitingForDebugger: true };
    say({ method: "Target.attachedToTarget", params });
  };
  let rest: Buffer = Buffer.alloc(0);
  const take = (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (
      let length = messageLength(rest);
      length !== null && length <= rest.length;
      length = messageLength(rest)
    ) {
      answer(read({ bytes: rest.subarray(0, length), at: 0 }) as Command);
      rest = rest.subarray(length);
    }
  };
  // Later, as a pipe does: a reply must not come before its command is noted.
  output.on("data", (chunk: Buffer) => setImmediate(take, chunk));
  output.on("close", end);
  return {
    pid: lastPid,
    pipe: { output, input },
    ended,
    drained: Promise.resolve(),
    lastWords: () => "",
    workMs: () => 0,
    signal: () => {
      const was = isAlive;
      if (was) end();
      return was;
    },
  };
}
