/** Independent fingerprinters: FingerprintJS distinguishes profiles and recognises each again; BotD reports no bot. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { chooseDevices } from "../../actors/fingerprint/choose.ts";
import { deviceSource } from "../../actors/tasks/device-samples.ts";
import { hostDevice } from "../../gateway/machine.ts";
import type { Fingerprint, Gpu } from "../../protocol/fingerprint.ts";
import type { ProfileOs } from "../../protocol/scalars.ts";
import { type FolderSite, packageFolder, serveFolder } from "./fixture/folder-site.ts";
import { createTestProfile, makeDir, removeDir } from "./fixture/profile.ts";

let dir = "";
let site: FolderSite;
before(async () => {
  dir = await makeDir();
  const packages = dirname(packageFolder("@fingerprintjs/fingerprintjs"));
  site = await serveFolder(packages, { "/page.html": "<!doctype html><title>Who are you?</title>" });
});
after(async () => {
  await site.close();
  await removeDir(dir);
});

const look = `(async () => {
  const fingerprint = await import("/fingerprintjs/dist/fp.esm.js");
  const { visitorId, components } = await (await fingerprint.load({ monitoring: false })).get();
  const bots = await import("/botd/dist/botd.esm.js");
  const bot = (await bots.load({ monitoring: false })).detect();
  const values = Object.entries(components).map(([name, { value }]) => [name, JSON.stringify(value)?.slice(0, 200)]);
  const { width, height, availWidth, availHeight, availTop, colorDepth } = screen;
  const gl = document.createElement("canvas").getContext("webgl");
  const strings = gl && gl.getExtension("WEBGL_debug_renderer_info");
  const device = {
    screen: [width, height, availWidth, availHeight, availTop, colorDepth, devicePixelRatio],
    window: [outerWidth, outerHeight, screenX, screenY],
    hardwareConcurrency: navigator.hardwareConcurrency,
    gpu: strings && { vendor: gl.getParameter(strings.UNMASKED_VENDOR_WEBGL), renderer: gl.getParameter(strings.UNMASKED_RENDERER_WEBGL) },
  };
  return { visitorId, bot, device, components: Object.fromEntries(values) };
})()`;

interface Found {
  visitorId: string;
  bot: { bot: boolean; botKind?: string };
  device: { screen: number[]; window: number[]; hardwareConcurrency: number; gpu: Gpu | null };
  components: Record<string, string>;
}

interface Subject {
  name: string;
  os: ProfileOs;
  fingerprint: Fingerprint;
}

async function foundIn({ name, os, fingerprint }: Subject): Promise<Found> {
  const profile = createTestProfile(dir);
  const userDataDir = join(dir, name);
  await profile.open({}, { os, fingerprint, userDataDir, timezone: "UTC", languages: ["en-US", "en"] });
  try {
    await profile.page.navigate({ url: `${site.origin}/page.html` });
    const { result } = await profile.page.evaluate({ expression: look });
    return result as Found;
  } finally {
    await profile.control.stop({});
  }
}

async function subjectsOf(counts: Record<ProfileOs, number>): Promise<Subject[]> {
  const source = await deviceSource();
  const of = (os: ProfileOs) =>
    chooseDevices({ os, count: counts[os], host: hostDevice(), taken: [] }, source).map(
      (fingerprint, index) => ({
        name: `${os}-${index + 1}`,
        os,
        fingerprint,
      }),
    );
  return [...of("windows"), ...of("macos"), ...of("linux")];
}

async function foundInAll(subjects: readonly Subject[]): Promise<Map<Subject, Found>> {
  const found = new Map<Subject, Found>();
  const waiting = subjects.values();
  const lane = async () => {
    for (const subject of waiting) found.set(subject, await foundIn(subject));
  };
  await Promise.all([lane(), lane()]);
  return found;
}

/** The device that the page should see; `seen` is the host's graphics, which a native profile shows. */
function deviceOf({ screen, hardwareConcurrency, gpu }: Fingerprint, seen: Gpu | null): Found["device"] {
  const { width, height, insetTop, insetBottom, colorDepth, devicePixelRatio } = screen;
  const free = height - insetTop - insetBottom;
  return {
    screen: [width, height, width, free, insetTop, colorDepth, devicePixelRatio],
    window: [width, free, 0, insetTop],
    hardwareConcurrency,
    // Without graphics on the machine, there is nothing to replace.
    gpu: seen === null ? null : (gpu ?? seen),
  };
}

function changed(before: Found, now: Found): string[] {
  return Object.keys(before.components).filter((name) => before.components[name] !== now.components[name]);
}

describe("FingerprintJS and BotD", () => {
  test("20 sampled profiles show their devices and have 20 visitor ids, each the same in 3 launches, and none is reported as a bot", async (t) => {
    const subjects = await subjectsOf({ windows: 7, macos: 6, linux: 7 });
    const found = await foundInAll(subjects);
    const ids = new Map<string, string[]>();
    for (const [{ name }, { visitorId }] of found) ids.set(visitorId, [...(ids.get(visitorId) ?? []), name]);
    const alike = [...ids.values()].filter((names) => names.length > 1);
    assert.deepEqual(alike, []);
    for (const [{ name, fingerprint }, { bot, device }] of found) {
      assert.equal(bot.bot, false, `${name}: ${bot.botKind}`);
      assert.deepEqual(device, deviceOf(fingerprint, device.gpu), name);
    }
    const again = (["windows", "macos", "linux"] as const).flatMap(
      (os) => subjects.find((subject) => subject.os === os) ?? [],
    );
    for (const launch of [2, 3]) {
      for (const [subject, now] of await foundInAll(again)) {
        const first = found.get(subject);
        assert.ok(first);
        assert.deepEqual(
          [changed(first, now), now.visitorId],
          [[], first.visitorId],
          `${subject.name}, launch ${launch}`,
        );
      }
    }
    t.diagnostic(`${ids.size} ids of ${subjects.length} profiles`);
  });
});
