/**
 * Which CDP messages of a script reach the browser. A refusal goes back as a CDP error, so that the library throws it
 * where the script made the call.
 *
 * Without it a script reads local files through `file:` pages, ends the browser, or attaches to another profile's.
 */
import path from "node:path";
import type { ThisMachine } from "../kernel/this-machine.ts";
import { grantable, methodRefusal } from "./cdp-methods.ts";
import { createHeldRequests, type HeldRequests } from "./held-requests.ts";

/** What becomes of a message: `forward` goes to the browser, `reply` back to the script. */
export type CdpJudgement = { forward: ScriptCommand } | { reply: string };

/** A command as it was parsed. */
export interface ScriptCommand {
  id: number;
  method: string;
  [key: string]: unknown;
}

export interface CdpPolicyOptions {
  /** Directories whose files a page may be given. */
  fileDirs: readonly string[];
  /** The one directory, and what is below it, that downloads may go to. */
  downloadDir: string;
  /** An approved script may open pages of this machine, but for the ports below; one that is not, none. */
  approved: boolean;
  /** Ports of the service and of browsers' debugging. */
  refusedPorts: readonly number[];
  isThisMachine: ThisMachine;
}

export interface CdpPolicy {
  /** Of a message of the script. */
  judge(text: string): CdpJudgement;
  /** What the browser says to the script passes here first: it names the requests that the script may answer. */
  hear(text: string): void;
}

/** Headers that say what the profile is. */
const identityHeaders = /^(user-agent|accept-language|sec-ch-ua.*)$/i;

const schemes: ReadonlySet<string> = new Set(["http:", "https:", "data:", "blob:"]);

type Params = Record<string, unknown>;

/** Methods whose parameters decide, and why they are refused; null lets the message pass. */
type Judge = (params: Params, options: CdpPolicyOptions, held: string | null) => string | null;

const judges: Readonly<Record<string, Judge>> = {
  "Page.navigate": ({ url }, options) => urlRefusal(url, options),
  "Target.createTarget": ({ url }, options) => urlRefusal(url, options),
  "Network.loadNetworkResource": ({ url }, options) => urlRefusal(url, options),
  "Network.setExtraHTTPHeaders": ({ headers }) =>
    Object.keys(asRecord(headers) ?? {}).some((name) => identityHeaders.test(name))
      ? "the profile's own values must not be overridden"
      : null,
  "Fetch.continueRequest": ({ url }, options, held) =>
    url === undefined ? null : (urlRefusal(url, options) ?? answerRefusal(held, options)),
  "Fetch.continueResponse": (_params, options, held) => answerRefusal(held, options),
  "Fetch.fulfillRequest": (_params, options, held) => answerRefusal(held, options),
  "DOM.setFileInputFiles": ({ files }, { fileDirs }) => filesRefusal(files, fileDirs),
  // What is dropped on a page may name files as well.
  "Input.dispatchDragEvent": ({ data }, { fileDirs }) => filesRefusal(asRecord(data)?.files ?? [], fileDirs),
  "Browser.setDownloadBehavior": downloadRefusal,
  "Page.setDownloadBehavior": downloadRefusal,
  "Browser.grantPermissions": ({ permissions }) =>
    Array.isArray(permissions) ? grantRefusal(permissions) : "permissions must be a list",
  "Browser.setPermission": ({ permission }) => grantRefusal([asRecord(permission)?.name]),
};

/** The judge of one run's messages. */
export function createCdpPolicy(options: CdpPolicyOptions): CdpPolicy {
  const held = createHeldRequests();
  return {
    hear: held.hear,
    judge(text) {
      const message = asRecord(parsed(text));
      const { id, method } = message ?? {};
      if (message === null || typeof id !== "number" || typeof method !== "string")
        return { reply: errorReply(message ?? {}, "not a CDP message") };
      const reason = methodRefusal(method) ?? refusal(method, message, options, held);
      if (reason !== null) return { reply: errorReply(message, `${method} is refused: ${reason}`) };
      // What was judged is what is sent: parsers differ about keys that come twice.
      return { forward: { ...message, id, method } };
    },
  };
}

function refusal(
  method: string,
  message: Params,
  options: CdpPolicyOptions,
  held: HeldRequests,
): string | null {
  const judge = Object.hasOwn(judges, method) ? judges[method] : undefined;
  if (judge === undefined) return null;
  const params = asRecord(message.params) ?? {};
  return judge(params, options, held.addressOf(message.sessionId, params.requestId));
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
  // Other about: pages are chrome: pages by another name.
  if (url.href === "about:blank" || url.href === "about:srcdoc") return null;
  if (!schemes.has(url.protocol)) return `${url.protocol} URLs are not for scripts`;
  if (!isThisMachine(url.hostname)) return null;
  if (!approved) return "a script that is not approved opens no address of this machine";
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  if (refusedPorts.includes(port)) return `port ${port} is the service's own or a browser's debugging port`;
  // A browser that started after the ports were listed.
  const debugging = /^\/+(json|devtools)(\/|$)/i.test(url.pathname);
  return debugging ? "a browser's debugging port is not for pages" : null;
}

/** Who answers for an address stands on its origin: so it is judged like opening it. */
function answerRefusal(address: string | null, options: CdpPolicyOptions): string | null {
  if (address === null) return "the browser holds no such request for this script";
  return /^https?:/i.test(address) ? urlRefusal(address, options) : null;
}

function grantRefusal(names: readonly unknown[]): string | null {
  const all = names.every((name) => typeof name === "string" && grantable.has(name));
  return all ? null : `${JSON.stringify(names)} is not for scripts to grant`;
}

/** The browser takes what is not absolute from its own working directory, and "default" as the user's downloads. */
function downloadRefusal(
  { behavior, downloadPath }: Params,
  { downloadDir }: CdpPolicyOptions,
): string | null {
  if (behavior === "deny" && downloadPath === undefined) return null;
  if (isInside(downloadDir, downloadPath) && behavior !== "default") return null;
  return "downloads of a script go to its own directory, by its absolute path";
}

function filesRefusal(files: unknown, directories: readonly string[]): string | null {
  if (!Array.isArray(files)) return "files must be a list";
  if (files.every((file) => directories.some((directory) => isInside(directory, file)))) return null;
  return "only files of the uploads and scratch directories can be attached, by their absolute paths";
}

function isInside(directory: string, file: unknown): boolean {
  if (typeof file !== "string" || !path.isAbsolute(file)) return false;
  const relative = path.relative(directory, file);
  return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
}

function errorReply(message: Params, text: string): string {
  // A list in their place could be nested so deep that the answer cannot be written.
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
