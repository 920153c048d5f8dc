/** `troupe update`: says whether npm's registry has a newer release, and how to get it. It changes nothing. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Fault } from "../../protocol/faults.ts";
import { packageVersion } from "../version.ts";
import { type CommonFlags, write } from "./commands.ts";

const name = "troupe";
const answerMs = 30_000;

/** Positive when `a` is the newer version. */
export function newerBy(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(/[.-]/).map(Number));
  for (let at = 0; at < 3; at += 1) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export async function update(flags: CommonFlags): Promise<void> {
  const own = packageVersion() ?? "0.0.0";
  const newest = await newestOf();
  if (newest !== null && newerBy(newest, own) > 0) {
    const command = `npm install -g ${name}@${newest}`;
    write(flags, { version: own, newest, command }, () =>
      [
        `Troupe ${newest} is newer than ${own}, which is here. Nothing was changed.`,
        `Get it with: ${command}`,
        "Then restart the service. Its data is brought up to date at the start, and saved before that.",
      ].join("\n"),
    );
    return;
  }
  write(flags, { version: own, newest, command: null }, () =>
    newest === null
      ? `This is Troupe ${own}. The registry has no release of it; install a newer package as you installed this one.`
      : `Troupe ${own} is the newest.`,
  );
}

/** Null when the registry has no package of ours. Another project may use the name: ours has our command. Throws `internal`. */
async function newestOf(): Promise<string | null> {
  const args = ["view", name, "version", "bin", "--json"];
  const shell = process.platform === "win32"; // npm is a batch file there.
  try {
    const { stdout } = await promisify(execFile)("npm", args, { timeout: answerMs, shell });
    const { version, bin }: { version?: string; bin?: Record<string, string> } = JSON.parse(stdout);
    return version !== undefined && bin?.troupe === "dist/troupe.js" ? version : null;
  } catch (error) {
    const said = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    if (/"code": "E404"/.test(said)) return null;
    throw new Fault(
      "internal",
      "npm did not answer; check that npm is installed and reaches its registry: npm ping",
    );
  }
}
