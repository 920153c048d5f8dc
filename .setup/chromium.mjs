/** Step 3: finds a Chromium, or installs one in the way that this machine allows. */
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDir, root, userDataDir } from "./paths.mjs";
import { StepFailure, say, timed } from "./say.mjs";
import { mayUseApt, packageCommand, runQuiet } from "./shell.mjs";

const foundPath = join(cacheDir, "chromium-path");

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The service uses the same list in the same order. */
export function usualPlaces(platform = process.platform, env = process.env) {
  const places =
    JSON.parse(readFileSync(join(root, "protocol", "chromium-places.json"), "utf8"))[platform] ?? [];
  return places
    .map((place) => place.replace(/%([^%]+)%/g, (_, name) => env[name] ?? ""))
    .filter((place) => place.startsWith("/") || /^[A-Za-z]:/.test(place));
}

/** Finds a Chromium without starting it; null if there is none. With `handOver`, the service needs CHROMIUM_PATH to find it. */
export function findChromium() {
  const asked = process.env.CHROMIUM_PATH;
  if (asked) {
    if (isExecutable(asked)) return { path: asked, handOver: false };
    throw new StepFailure(`CHROMIUM_PATH is ${asked}, which is not an executable file`, {
      remedy: "set CHROMIUM_PATH to a Chromium or Chrome, or unset it, so that one is found or installed",
    });
  }
  const usual = usualPlaces().find(isExecutable);
  if (usual) return { path: usual, handOver: false };
  try {
    const installed = readFileSync(foundPath, "utf8");
    return isExecutable(installed) ? { path: installed, handOver: true } : null;
  } catch {
    return null;
  }
}

/** Debian has a Chromium package. On Ubuntu it is missing or a snap, and the result is not ok. */
async function installByApt() {
  return timed("installing Chromium (apt-get install chromium)", async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const waiting = ["-o", "DPkg::Lock::Timeout=120"];
    const updated = await runQuiet("apt-get", [...waiting, "update"], { env });
    const install = (...names) => runQuiet("apt-get", [...waiting, "install", "-y", ...names], { env });
    // A profile's dates and numbers follow Chromium's translations; without them, each tab needs an override.
    const both = await install("chromium", "chromium-l10n");
    const installed = both.ok ? both : await install("chromium");
    if (!installed.ok) return { ...installed, tail: [...updated.tail.slice(-3), ...installed.tail] };
    return installed;
  });
}

async function installChromeForTesting() {
  const place = join(userDataDir(), "browsers");
  return timed(`installing Chrome for Testing into ${place}`, async () => {
    mkdirSync(place, { recursive: true });
    const args = ["install", "chrome@stable", "--path", place, "--format", "{{path}}"];
    // Only root can install the system libraries that Chrome needs.
    if (mayUseApt()) args.push("--install-deps");
    const done = await runQuiet(process.execPath, [packageCommand("@puppeteer/browsers"), ...args]);
    return { ...done, path: done.stdout.trim().split("\n").at(-1) ?? "" };
  });
}

/** Chromium without a needed library cannot even print its version: fail here, not at the first launch. */
async function mustAnswer(path) {
  if (process.platform === "win32") return;
  const answer = await runQuiet(path, ["--version"]);
  if (answer.ok) return say(`Chromium is ${path} (${answer.stdout.trim()})`);
  throw new StepFailure(`the Chromium at ${path} does not start: it ${answer.why}`, {
    tail: answer.tail,
    remedy: "install what the message names, or set CHROMIUM_PATH to a Chromium that runs",
  });
}

export async function installChromium() {
  const remedy =
    "install Chromium or Chrome yourself, or set CHROMIUM_PATH to one, then run the command again";
  const tail = [];
  if (mayUseApt()) {
    const done = await installByApt();
    const found = usualPlaces().find(isExecutable);
    if (done.ok && found) return mustAnswer(found);
    say(`apt-get could not install Chromium (it ${done.why}); trying Chrome for Testing`);
    tail.push(...done.tail.slice(-8));
  }
  const done = await installChromeForTesting();
  if (!done.ok || !isExecutable(done.path)) {
    throw new StepFailure("no Chromium was found, and none could be installed", {
      tail: [...tail, ...done.tail.slice(done.tail.findLastIndex((line) => line.startsWith("Error")))],
      remedy,
    });
  }
  await mustAnswer(done.path);
  mkdirSync(cacheDir, { recursive: true });
  writeFileSync(foundPath, done.path);
}
