/** Finds a Chromium as the service does. */
import { accessSync, constants, readFileSync } from "node:fs";
import { join } from "node:path";
import { root, userDataDir } from "./paths.mjs";
import { StepFailure } from "./say.mjs";

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

/** The path of a Chromium that the service will find too, without starting it; null if there is none. */
export function findChromium() {
  const asked = process.env.CHROMIUM_PATH;
  if (asked) {
    if (isExecutable(asked)) return asked;
    throw new StepFailure(`CHROMIUM_PATH is ${asked}, which is not an executable file`, {
      remedy: "set CHROMIUM_PATH to a Chromium or Chrome, or unset it, so that one is found or installed",
    });
  }
  return usualPlaces().find(isExecutable) ?? installed();
}

function installed() {
  try {
    const path = readFileSync(join(userDataDir(), "browsers", "chromium-path"), "utf8");
    return isExecutable(path) ? path : null;
  } catch {
    return null;
  }
}
