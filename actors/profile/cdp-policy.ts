/** Decides which CDP messages of a script reach the browser. A refusal is a CDP error, which the library throws from the script's call. */
import { realpathSync } from "node:fs";
import path from "node:path";
import type { ThisMachine } from "../kernel/this-machine.ts";
import { grantable, methodRefusal } from "./cdp-methods.ts";
import { createPausedRequests, type PausedRequest, type PausedRequests } from "./paused-requests.ts";

/** `forward` goes to the browser, `reply` goes back to the script. */
export type CdpJudgement = { forward: ScriptCommand } | { reply: string };

export interface ScriptCommand {
  id: number;
  method: string;
  [key: string]: unknown;
}

export interface CdpPolicyOptions {
  fileDirs: readonly string[];
  /** Downloads must go to this directory or below it. */
  downloadDir: string;
  /** An approved script may open this machine's addresses, except `refusedPorts`; any other script may open none. */
  approved: boolean;
  refusedPorts: readonly number[];
  isThisMachine: ThisMachine;
}

export interface CdpPolicy {
  judge(text: string): CdpJudgement;
  /** Must receive every message of the browser, to know which requests the script may answer. */
  hear(text: string): void;
}

const identityHeaders = /^(user-agent|accept-language|sec-ch-ua.*)$/i;

const schemes: ReadonlySet<string> = new Set(["http:", "https:", "data:", "blob:"]);

type Params = Record<string, unknown>;

type Judge = (params: Params, options: CdpPolicyOptions, paused: PausedRequest | null) => string | null;

const judges: Readonly<Record<string, Judge>> = {
  "Page.navigate": ({ url }, options) => urlRefusal(url, options),
  "Target.createTarget": ({ url }, options) => urlRefusal(url, options),
  "Network.loadNetworkResource": ({ url }, options) => urlRefusal(url, options),
  "Network.setExtraHTTPHeaders": ({ headers }) =>
    Object.keys(asRecord(headers) ?? {}).some((name) => identityHeaders.test(name))
      ? "the profile's own values must not be overridden"
      : null,
  "Fetch.continueRequest": ({ url }, options, paused) =>
    url === undefined ? null : (urlRefusal(url, options) ?? answerRefusal(paused, options)),
  "Fetch.continueResponse": (_params, options, paused) => answerRefusal(paused, options),
  "Fetch.fulfillRequest": (_params, options, paused) => answerRefusal(paused, options),
  "DOM.setFileInputFiles": ({ files }, { fileDirs }) => filesRefusal(files, fileDirs),
  // A drop on a page can name files as well.
  "Input.dispatchDragEvent": ({ data }, { fileDirs }) => filesRefusal(asRecord(data)?.files ?? [], fileDirs),
  "Browser.setDownloadBehavior": downloadRefusal,
  "Page.setDownloadBehavior": downloadRefusal,
  "Browser.grantPermissions": ({ permissions }) =>
    Array.isArray(permissions) ? grantRefusal(permissions) : "permissions must be a list",
  "Browser.setPermission": ({ permission }) => grantRefusal([asRecord(permission)?.name]),
};

/** The policy for the messages of one run. */
export function createCdpPolicy(options: CdpPolicyOptions): CdpPolicy {
  const paused = createPausedRequests();
  return {
    hear: paused.hear,
    judge(text) {
      const message = asRecord(parsed(text));
      const { id, method } = message ?? {};
      if (message === null || typeof id !== "number" || typeof method !== "string")
        return { reply: errorReply(message ?? {}, "not a CDP message") };
      const reason = methodRefusal(method) ?? refusal(method, message, options, paused);
      if (reason !== null) return { reply: errorReply(message, `${method} is refused: ${reason}`) };
      // Send the parsed message: parsers differ on duplicate keys.
      return { forward: { ...message, id, method } };
    },
  };
}

function refusal(
  method: string,
  message: Params,
  options: CdpPolicyOptions,
  paused: PausedRequests,
): string | null {
  const judge = Object.hasOwn(judges, method) ? judges[method] : undefined;
  if (judge === undefined) return null;
  const params = asRecord(message.params) ?? {};
  return judge(params, options, paused.find(message.sessionId, params.requestId));
}

/** Why a script's page may not open this URL; null when it may. */
export function urlRefusal(
  value: unknown,
  {
    approved,
    refusedPorts,
    isThisMachine,
  }: Pick<CdpPolicyOptions, "approved" | "refusedPorts" | "isThisMachine">,
): string | null {
  if (value === undefined || value === "") return null;
  if (typeof value !== "string" || !URL.canParse(value)) return "the URL does not parse";
  const url = new URL(value);
  // Other about: pages are aliases of chrome: pages.
  if (url.href === "about:blank" || url.href === "about:srcdoc") return null;
  if (!schemes.has(url.protocol)) return `scripts may not open ${url.protocol} URLs`;
  if (!isThisMachine(url.hostname)) return null;
  if (!approved) return "only an approved script may open addresses of this machine";
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  if (refusedPorts.includes(port)) return `port ${port} is the service's own or a browser's debugging port`;
  // The port of a browser that started after `refusedPorts` was made.
  const debugging = /^\/+(json|devtools)(\/|$)/i.test(url.pathname);
  return debugging ? "pages may not open a browser's debugging port" : null;
}

/** Answering for an address gives access to its origin, so the rules for opening it apply. */
function answerRefusal(paused: PausedRequest | null, options: CdpPolicyOptions): string | null {
  if (paused === null) return "no such request is paused for this script";
  if (paused.isServiceWorker && !options.approved)
    return "only an approved script may answer for a service worker, which stays in the profile";
  return /^https?:/i.test(paused.address) ? urlRefusal(paused.address, options) : null;
}

function grantRefusal(names: readonly unknown[]): string | null {
  const all = names.every((name) => typeof name === "string" && grantable.has(name));
  return all ? null : `scripts may not grant ${JSON.stringify(names)}`;
}

/** Chromium resolves a relative path against its own directory, and "default" is the user's downloads directory. */
function downloadRefusal(
  { behavior, downloadPath }: Params,
  { downloadDir }: CdpPolicyOptions,
): string | null {
  if (behavior === "deny" && downloadPath === undefined) return null;
  if (isInside(downloadDir, downloadPath) && behavior !== "default") return null;
  return "downloadPath must be an absolute path in the script's own directory";
}

function filesRefusal(files: unknown, directories: readonly string[]): string | null {
  if (!Array.isArray(files)) return "files must be a list";
  const real = directories.map(resolved);
  if (files.every((file) => real.some((directory) => isInside(directory, resolved(file))))) return null;
  return "only files of the uploads and scratch directories can be attached, by their absolute paths";
}

/** Without links, which the browser would follow. What does not exist stays as it is. */
function resolved<T>(file: T): T | string {
  try {
    return typeof file === "string" ? realpathSync(file) : file;
  } catch {
    return file;
  }
}

function isInside(directory: string, file: unknown): boolean {
  if (typeof file !== "string" || !path.isAbsolute(file)) return false;
  const relative = path.relative(directory, file);
  return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
}

function errorReply(message: Params, text: string): string {
  // Copy only scalars: a deeply nested id could not be serialized.
  const id = typeof message.id === "number" ? message.id : null;
  const session = typeof message.sessionId === "string" ? { sessionId: message.sessionId } : {};
  return JSON.stringify({ id, ...session, error: { code: -32000, message: text } });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function asRecord(value: unknown): Params | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}
