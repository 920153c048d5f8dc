/** The checker of samples finds every kind of unfit sample in the data (actors/profile/README.md, "Devices"). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deviceFrom } from "../../actors/fingerprint/choose.ts";
import { type DeviceSample, deviceOf, sampleFaults } from "../../actors/fingerprint/sample.ts";
import type { ProfileOs } from "../../protocol/scalars.ts";
import { goodSamples, linuxHost } from "./good-samples.ts";

const systems = ["windows", "macos", "linux"] as const;
const first = () => 0;

const chrome101 = goodSamples.linux.userAgent.replace("147", "101");
const headless = goodSamples.linux.userAgent.replace("Chrome/", "HeadlessChrome/");

type Hints = Partial<NonNullable<DeviceSample["hints"]>>;
const unfit: {
  what: string;
  change?: Partial<DeviceSample>;
  hints?: Hints;
  screen?: Partial<DeviceSample["screen"]>;
}[] = [
  {
    what: "an old Chrome",
    change: { userAgent: chrome101 },
    hints: { brands: [{ brand: "Google Chrome", version: "101" }] },
  },
  {
    what: "another brand",
    hints: {
      brands: [
        { brand: "Brave", version: "147" },
        { brand: "Chromium", version: "147" },
      ],
    },
  },
  { what: "bare Chromium", hints: { brands: [{ brand: "Chromium", version: "147" }] } },
  { what: "HeadlessChrome", change: { userAgent: headless } },
  { what: "Edge", change: { userAgent: `${goodSamples.linux.userAgent} Edg/147.0.0.0` } },
  { what: "a platform of another machine", change: { platform: "Linux armv81" } },
  { what: "a user agent of another system", change: { userAgent: goodSamples.windows.userAgent } },
  { what: "client hints of another system", hints: { platform: "Windows" } },
  { what: "missing client hints", change: { hints: null } },
  { what: "client hints of a phone", hints: { mobile: true } },
  { what: "client hints without bitness", hints: { bitness: "" } },
  { what: "versions that differ", hints: { brands: [{ brand: "Google Chrome", version: "146" }] } },
  { what: "touch points", change: { maxTouchPoints: 10 } },
  { what: "no graphics", change: { gpu: null } },
  { what: "a window on a second screen", screen: { availLeft: 1920 } },
  { what: "a bar at the side", screen: { availWidth: 1850 } },
];

describe("the checker of samples", () => {
  for (const os of systems) {
    test(`finds no fault in an ordinary Chrome on ${os}`, () => {
      assert.deepEqual(sampleFaults(goodSamples[os], os), []);
    });
  }
  for (const { what, change, hints, screen } of unfit) {
    test(`finds ${what}`, () => {
      const good = goodSamples.linux;
      const changed = { ...good, screen: { ...good.screen, ...screen }, ...change };
      const sample =
        hints === undefined || changed.hints === null
          ? changed
          : { ...changed, hints: { ...changed.hints, ...hints } };
      assert.notDeepEqual(sampleFaults(sample, "linux"), []);
      assert.equal(deviceFrom(sample, { os: "linux", host: linuxHost }, first), null);
    });
  }
});

describe("the device of a sample", () => {
  test("has a thread count that fits its graphics, whatever the sample says", () => {
    const device = deviceOf({ ...goodSamples.macos, hardwareConcurrency: 4 }, "macos", linuxHost, first);
    assert.equal(device?.hardwareConcurrency, 8);
  });
  test("has the task bar of its Windows version, or a hidden one", () => {
    const { screen } = goodSamples.windows;
    const ten = { ...goodSamples.windows, hints: { ...hintsOf("windows"), platformVersion: "10.0.0" } };
    assert.equal(deviceOf(ten, "windows", linuxHost, first)?.screen.insetBottom, 40);
    const hidden = { ...ten, screen: { ...screen, availHeight: screen.height } };
    assert.equal(deviceOf(hidden, "windows", linuxHost, first)?.screen.insetBottom, 0);
  });
  test("on a host of its own system shows the host's graphics and architecture", () => {
    const device = deviceOf(goodSamples.linux, "linux", { os: "linux", architecture: "arm" }, first);
    assert.deepEqual([device?.gpu, device?.architecture], [null, "arm"]);
  });
  test("keeps nothing of the sample's browser", () => {
    assert.deepEqual(Object.keys(deviceOf(goodSamples.windows, "windows", linuxHost, first) ?? {}).sort(), [
      "architecture",
      "bitness",
      "gpu",
      "hardwareConcurrency",
      "platformVersion",
      "screen",
    ]);
  });
});

function hintsOf(os: ProfileOs): NonNullable<DeviceSample["hints"]> {
  const { hints } = goodSamples[os];
  assert.ok(hints);
  return hints;
}
