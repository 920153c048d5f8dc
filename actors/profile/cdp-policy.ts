/**
 * Which CDP messages of a script reach the browser. A refusal goes back as a CDP error, so that the library throws it
 * where the script made the call.
 *
 * Without it a script reads local files through `file:` pages, ends the browser, or attaches to another profile's.
 */
import path from "node:path";

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
  /** What this machine is called besides `localhost`, as `URL.hostname` has it. */
  ownNames: ReadonlySet<string>;
}

const stays = "the browser belongs to the profile and stays open";
const ownContext = "a script uses the profile's own context";
const identity = "the profile's own values must not be overridden";
const inside = "the browser's inside is not a script's business";

/** Methods that are refused whatever their parameters. */
const refusedMethods: Readonly<Record<string, string>> = {
  "Browser.close": stays,
  "Browser.crash": stays,
  "Browser.crashGpuProcess": stays,
  "Browser.setWindowBounds": identity,
  "Browser.setContentsSize": identity,
  "Browser.getBrowserCommandLine": inside,
  "Browser.executeBrowserCommand": inside,
  "Browser.addPrivacySandboxEnrollmentOverride": inside,
  "Target.createBrowserContext": ownContext,
  "Target.disposeBrowserContext": ownContext,
  "Target.setRemoteLocations": inside,
  "Target.exposeDevToolsProtocol": inside,
  "Target.openDevTools": inside,
  "Network.setUserAgentOverride": identity,
  "Page.setDeviceMetricsOverride": identity,
  "Page.setGeolocationOverride": identity,
  "Page.setDeviceOrientationOverride": identity,
  "DeviceOrientation.setDeviceOrientationOverride": identity,
  "Page.setTouchEmulationEnabled": identity,
  "Page.setFontFamilies": identity,
  "Page.crash": stays,
  "Security.setIgnoreCertificateErrors": inside,
  "Extensions.loadUnpacked": inside,
};

/** Whole domains that are refused but for the methods named. */
const refusedDomains: Readonly<Record<string, { reason: string; except: readonly string[] }>> = {
  Emulation: {
    reason: identity,
    except: [
      "setFocusEmulationEnabled",
      // Screenshots use these and put them back.
      "setDefaultBackgroundColorOverride",
      "clearDeviceMetricsOverride",
      "clearGeolocationOverride",
    ],
  },
  SystemInfo: { reason: inside, except: [] },
  Tethering: { reason: inside, except: [] },
  Tracing: { reason: inside, except: [] },
  Extensions: { reason: inside, except: [] },
  Cast: { reason: inside, except: [] },
  PWA: { reason: inside, except: [] },
};

/** Headers that say what the profile is. */
const identityHeaders = /^(user-agent|accept-language|sec-ch-ua.*)$/i;

/** Methods that make the browser open `params.url`. */
const urlMethods: ReadonlySet<string> = new Set([
  "Page.navigate",
  "Target.createTarget",
  "Network.loadNetworkResource",
  "Fetch.continueRequest",
  "Network.continueInterceptedRequest",
]);
const schemes: ReadonlySet<string> = new Set(["http:", "https:", "data:", "blob:"]);
const downloadMethods: ReadonlySet<string> = new Set([
  "Browser.setDownloadBehavior",
  "Page.setDownloadBehavior",
]);

/** A judge of messages, for one run. */
export function createCdpPolicy(options: CdpPolicyOptions): (text: string) => CdpJudgement {
  return (text) => {
    const message = asRecord(parsed(text));
    const { id, method } = message ?? {};
    if (typeof id !== "number" || typeof method !== "string")
      return { reply: errorReply(message ?? {}, "not a CDP message") };
    const reason = refusal(method, asRecord(message?.params) ?? {}, options);
    if (reason !== null) return { reply: errorReply(message ?? {}, `${method} is refused: ${reason}`) };
    // What was judged is what is sent: parsers differ about keys that come twice.
    return { forward: { ...message, id, method } };
  };
}

function refusal(method: string, params: Record<string, unknown>, options: CdpPolicyOptions): string | null {
  const [domain = "", name = ""] = method.split(".");
  if (Object.hasOwn(refusedMethods, method)) return refusedMethods[method] ?? null;
  if (Object.hasOwn(refusedDomains, domain)) {
    const refused = refusedDomains[domain];
    if (refused !== undefined && !refused.except.includes(name)) return refused.reason;
  }
  // Messages inside messages would pass unjudged.
  if (method === "Target.sendMessageToTarget") return "use flat sessions";
  if (method === "Network.setExtraHTTPHeaders")
    return Object.keys(asRecord(params.headers) ?? {}).some((name) => identityHeaders.test(name))
      ? identity
      : null;
  if (urlMethods.has(method)) return urlRefusal(params.url, options);
  if (method === "DOM.setFileInputFiles") return filesRefusal(params.files, options.fileDirs);
  // What is dropped on a page may name files as well.
  if (method === "Input.dispatchDragEvent")
    return filesRefusal(asRecord(params.data)?.files ?? [], options.fileDirs);
  if (downloadMethods.has(method)) return downloadRefusal(params.downloadPath, options.downloadDir);
  return null;
}

/** Why a script's page may not open this URL; null when it may. */
export function urlRefusal(
  value: unknown,
  { approved, refusedPorts, ownNames }: Pick<CdpPolicyOptions, "approved" | "refusedPorts" | "ownNames">,
): string | null {
  if (value === undefined || value === "") return null;
  if (typeof value !== "string" || !URL.canParse(value)) return "the URL does not parse";
  const url = new URL(value);
  // Other about: pages are chrome: pages by another name.
  if (url.href === "about:blank" || url.href === "about:srcdoc") return null;
  if (!schemes.has(url.protocol)) return `${url.protocol} URLs are not for scripts`;
  const host = url.hostname.replace(/\.$/, "");
  if (!isLoopback(host) && !ownNames.has(host)) return null;
  if (!approved) return "a script that is not approved opens no address of this machine";
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  if (refusedPorts.includes(port)) return `port ${port} is the service's own or a browser's debugging port`;
  // A browser that started after the ports were listed.
  const debugging = /^\/+(json|devtools)(\/|$)/i.test(url.pathname);
  return debugging ? "a browser's debugging port is not for pages" : null;
}

function downloadRefusal(downloadPath: unknown, downloadDir: string): string | null {
  if (downloadPath === undefined) return null;
  const inside = typeof downloadPath === "string" && isInside(downloadDir, downloadPath);
  return inside ? null : "downloads of a script go to its own directory";
}

/** Names and addresses that every machine has for itself; the URL parser has brought 127.1 and 0x7f000001 to one form. */
function isLoopback(name: string): boolean {
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  if (name === "[::1]" || name === "[::]" || name === "0.0.0.0") return true;
  return name.startsWith("127.") || name.startsWith("[::ffff:7f");
}

function filesRefusal(files: unknown, directories: readonly string[]): string | null {
  if (!Array.isArray(files)) return "files must be a list";
  const foreign = files.find(
    (file) => typeof file !== "string" || !directories.some((dir) => isInside(dir, file)),
  );
  return foreign === undefined ? null : "only files of the uploads and scratch directories can be attached";
}

function isInside(directory: string, file: string): boolean {
  const relative = path.relative(directory, path.resolve(directory, file));
  return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
}

function errorReply(message: Record<string, unknown>, text: string): string {
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

function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}
