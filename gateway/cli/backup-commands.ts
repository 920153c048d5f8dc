/** `troupe backup` and `troupe restore`: the library and its profiles in one file, and a data directory made from it. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { forOneLine } from "../../protocol/clean-text.ts";
import type { LeftOutFile, LeftOutReason } from "../../protocol/messages/backups.ts";
import { connectApp } from "../app-client.ts";
import { readInstance } from "../instance.ts";
import { type CommonFlags, write } from "./commands.ts";
import { WrongUsage } from "./output.ts";
import { dataDirOf, withApplication } from "./reach.ts";

export interface PassphraseFlags extends CommonFlags {
  passphraseFile?: string;
}

/** Only for a service that hangs: a backup may be gigabytes. */
const backupTimeoutMs = 6 * 60 * 60_000;

export async function backup(file: string, flags: PassphraseFlags): Promise<void> {
  const passphrase = await passphraseOf(flags, "Passphrase for the key (empty: secrets are left out): ");
  const input = { file: resolve(file), passphrase };
  const instance = readInstance(dataDirOf(flags));
  const made =
    instance === null
      ? await withApplication(flags, (api) => api.backup(input))
      : await connectApp(instance, backupTimeoutMs).backup(input);
  write(flags, made, ({ bytes, profiles, leftOut, leftOutFiles, secrets }) =>
    [
      `${made.file}: ${bytes} bytes, the library and ${profiles.length} profiles' directories.`,
      secrets
        ? "It contains the key of the secrets, protected by the passphrase."
        : "Without a passphrase the secrets are left out: variables, proxy passwords, secret columns.",
      "It contains the profiles' cookies and logins as Chromium stores them: keep the file private.",
      ...(leftOut.length === 0 ? [] : [`Left out because their browsers run: ${leftOut.join(", ")}`]),
      ...leftOutLines(leftOutFiles),
    ].join("\n"),
  );
}

const reasons: Record<LeftOutReason, string> = {
  "name-not-utf8": "its name is not UTF-8",
  "symbolic-link": "a symbolic link",
  "not-a-file": "neither a file nor a directory",
  "not-a-profile": "not the directory of a profile",
};
const leftOutLinesMax = 20;

function leftOutLines(files: readonly LeftOutFile[]): string[] {
  const lines = files
    .slice(0, leftOutLinesMax)
    .map(({ path, reason }) => `Left out: ${forOneLine(path)} (${reasons[reason]})`);
  const more = files.length - lines.length;
  return more === 0 ? lines : [...lines, `${more} more files are left out; --json lists all`];
}

export async function restore(file: string, flags: PassphraseFlags): Promise<void> {
  const { restoreOffline } = await import("../offline.ts");
  const passphrase = await passphraseOf(flags, "Passphrase of the backup (empty: it has none): ");
  const dataDir = dataDirOf(flags);
  await restoreOffline(dataDir, { file: resolve(file), passphrase });
  write(flags, { dataDir }, () => `${dataDir} is restored; start it with: troupe serve --data ${dataDir}`);
}

/** From the named file, `-` for stdin; without one, asked for at a terminal. */
async function passphraseOf({ passphraseFile }: PassphraseFlags, question: string): Promise<string | null> {
  const given = passphraseFile === undefined ? await asked(question) : await fileText(passphraseFile);
  const passphrase = given.replace(/\r?\n$/, "");
  if (passphrase === "" && passphraseFile !== undefined)
    throw new WrongUsage(`--passphrase-file: ${passphraseFile} is empty; write the passphrase into it`);
  return passphrase === "" ? null : passphrase;
}

async function fileText(path: string): Promise<string> {
  return path === "-" ? text(process.stdin) : readFileSync(path, "utf8");
}

async function asked(question: string): Promise<string> {
  if (!process.stdin.isTTY) return "";
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await lines.question("");
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
