/** Makes text fit for a public bug report: no secret, user, machine, site or name that a user chose. */
import { withoutSecrets } from "../../protocol/without-secrets.ts";

export interface Known {
  /** Directories and what to write instead, such as the home directory. */
  dirs: readonly (readonly [path: string, instead: string])[];
  user: string;
  machine: string;
  /** Names of profiles and scripts, with their ids. */
  names: ReadonlyMap<string, string>;
}

/** Users that every machine has. */
const commonUsers = new Set(["root", "user", "admin", "node", "runner"]);
/** Shorter names are parts of too many words. */
const nameCharsMin = 3;

/** Ends of names of files, which look like domains. */
const fileEnd =
  /\.(?:[cm]?[jt]sx?|json|log|html?|css|sqlite|sock|node|gz|cc|h|so|md|txt|csv|mmdb|service|env)$/i;
/** What the system's errors name. */
const failedHost =
  /(?<=\b(?:ENOTFOUND|EAI_AGAIN|E[A-Z]*(?:REFUSED|UNREACH|TIMEDOUT|RESET)) )([^\s"',;)]+?)(:\d+)?(?=[\s"',;)]|$)/g;
const mailName = /[^\s@"'<>()[\]:/]+(?=@(?:[a-z0-9-]+\.)+[a-z]{2,})/gi;
/** With two colons in a row: a time of day has none. */
const bareAddress = /(?<![\w:[])[\da-f]*(?::[\da-f]{1,4})*::[\da-f:]*(?![\w:])/gi;
/** In small letters, as hosts are and names of classes are not. */
const bareDomain = /(?<![\w.-]|(?<!\/)\/)(?:[a-z0-9-]+\.)+[a-z]{2,}(?![\w.-]*\w)/g;
const loopback = /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|::1?)$/i;

/** A function that replaces the same host by the same word each time. */
export function createAnonymizer(known: Known): (text: string) => string {
  const hosts = new Map<string, string>();
  const hostWord = (host: string): string => {
    const name = host.toLowerCase();
    if (loopback.test(name) || fileEnd.test(name)) return host;
    const word = hosts.get(name) ?? `host-${hosts.size + 1}`;
    hosts.set(name, word);
    return word;
  };
  /** Replaces the host of another machine's address and drops the path, which shows what the user visited. */
  const addressWord = (address: string, host: string, port = "", path = "") => {
    const word = hostWord(host);
    if (word === host) return address;
    return `${word}${port}${path === "" ? "" : "/…"}`;
  };
  const words: [string, string][] = [...known.names].filter(([name]) => name.length >= nameCharsMin);
  if (!commonUsers.has(known.user)) words.push([known.user, "USER"]);
  words.push([known.machine, "HOST"]);
  const wholeWords = words
    .filter(([word]) => word !== "")
    .sort(([one], [other]) => other.length - one.length)
    .map(
      ([word, instead]) =>
        [new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}(?![\\p{L}\\p{N}])`, "giu"), instead] as const,
    );
  const dirs = known.dirs
    .filter(([path]) => path.length > 1)
    .map(([path, instead]) => [new RegExp(`${escaped(path)}(?![\\p{L}\\p{N}_-])`, "gu"), instead] as const);
  return (text) => {
    let clean = withoutSecrets(text);
    for (const [pattern, instead] of dirs) clean = clean.replace(pattern, () => instead);
    for (const [pattern, instead] of wholeWords) clean = clean.replace(pattern, () => instead);
    return clean
      .replace(/(?<=\/(?:home|Users)\/)[^/\s"']+/g, "USER")
      .replace(/(?<=\\Users\\{1,2})[^\\"']+/g, "USER")
      .replace(mailName, "USER")
      .replace(/(?<=(?<!\bfile):\/\/)([^\s/?#"'()@:[\]]+)(:\d+)?([/?#][^\s"')]*)?/g, addressWord)
      .replace(/\[[\da-f:.%]{2,}\]/gi, (host) => `[${hostWord(host.slice(1, -1))}]`)
      .replace(/(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w.-])/g, hostWord)
      .replace(/(?<![\w./-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?=:\d{2,5}\b)/gi, hostWord)
      .replace(failedHost, (_whole, host: string, port = "") => `${hostWord(host)}${port}`)
      .replace(bareAddress, hostWord)
      .replace(bareDomain, hostWord);
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
