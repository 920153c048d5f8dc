/** The checker of devices finds every kind of incoherence in the data (actors/profile/README.md, "Devices"). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { incoherences } from "../../actors/fingerprint/coherence.ts";
import { deviceOf } from "../../actors/fingerprint/sample.ts";
import type { Fingerprint, Gpu, HostDevice, ScreenShape } from "../../protocol/fingerprint.ts";
import type { ProfileOs } from "../../protocol/scalars.ts";
import { goodSamples, linuxHost, windowsHost } from "./good-samples.ts";

const systems = ["windows", "macos", "linux"] as const;
const first = () => 0;

function goodDevice(os: ProfileOs): Fingerprint {
  const device = deviceOf(goodSamples[os], os, hostFor(os), first);
  assert.ok(device);
  return device;
}

function hostFor(os: ProfileOs): HostDevice {
  return os === "linux" ? windowsHost : linuxHost;
}

interface Incoherent {
  what: string;
  os: ProfileOs;
  change: Partial<Fingerprint>;
  screen?: Partial<ScreenShape>;
  says: RegExp;
}

function gpu(maker: string, renderer: string): { gpu: Gpu } {
  return { gpu: { vendor: `Google Inc. (${maker})`, renderer } };
}

const incoherentDevices: Incoherent[] = [
  {
    what: "SwiftShader",
    os: "windows",
    change: gpu("Google", "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)"),
    says: /made in software/,
  },
  {
    what: "the Basic Render Driver",
    os: "windows",
    change: gpu(
      "Microsoft",
      "ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0, D3D11)",
    ),
    says: /made in software/,
  },
  {
    what: "a virtual machine's graphics",
    os: "linux",
    change: gpu("Intel", "ANGLE (Intel, virgl (Mesa Intel(R) UHD Graphics), OpenGL 4.5)"),
    says: /made in software/,
  },
  {
    what: "an Apple chip in an Intel Mac",
    os: "macos",
    change: { architecture: "x86" },
    says: /not in a Mac of x86/,
  },
  {
    what: "Intel graphics in an Apple Mac",
    os: "macos",
    change: gpu(
      "Intel",
      "ANGLE (Intel, ANGLE Metal Renderer: Intel(R) UHD Graphics 630, Unspecified Version)",
    ),
    says: /not in a Mac of arm/,
  },
  { what: "Windows on arm", os: "windows", change: { architecture: "arm" }, says: /does not run on arm/ },
  {
    what: "Direct3D on macOS",
    os: "macos",
    change: gpu("Intel", "ANGLE (Intel, Intel(R) UHD Graphics 630 Direct3D11 vs_5_0 ps_5_0, D3D11)"),
    says: /does not call Intel graphics/,
  },
  {
    what: "Metal on Windows",
    os: "windows",
    change: gpu("Apple", "ANGLE (Apple, ANGLE Metal Renderer: Apple M2, Unspecified Version)"),
    says: /no graphics of Google Inc. \(Apple\)/,
  },
  {
    what: "a vendor that is not the renderer's",
    os: "windows",
    change: gpu(
      "NVIDIA",
      "ANGLE (Intel, Intel(R) Iris(R) Xe Graphics (0x00009A49) Direct3D11 vs_5_0 ps_5_0, D3D11)",
    ),
    says: /does not call NVIDIA graphics/,
  },
  {
    what: "the host's graphics on another system",
    os: "windows",
    change: { gpu: null },
    says: /graphics of a linux host/,
  },
  {
    what: "a thread count that no Apple M1 Pro has",
    os: "macos",
    change: { hardwareConcurrency: 16 },
    says: /has 16 threads/,
  },
  {
    what: "more threads than the generation of its graphics allows",
    os: "windows",
    change: {
      ...gpu("Intel", "ANGLE (Intel, Intel(R) UHD Graphics (0x00008A56) Direct3D11 vs_5_0 ps_5_0, D3D11)"),
      hardwareConcurrency: 16,
    },
    says: /has 16 threads/,
  },
  {
    what: "an odd number of threads",
    os: "windows",
    change: { hardwareConcurrency: 7 },
    says: /has 7 threads/,
  },
  {
    what: "a chip older than its system",
    os: "macos",
    change: {
      ...gpu("Apple", "ANGLE (Apple, ANGLE Metal Renderer: Apple M4, Unspecified Version)"),
      platformVersion: "14.5.0",
    },
    says: /needs macOS 15/,
  },
  {
    what: "a version of another system",
    os: "windows",
    change: { platformVersion: "6.14.0" },
    says: /no platform version/,
  },
  {
    what: "a version on Linux",
    os: "linux",
    change: { platformVersion: "6.14.0" },
    says: /no platform version/,
  },
  {
    what: "a missing version",
    os: "macos",
    change: { platformVersion: "" },
    says: /no platform version/,
  },
  {
    what: "a portrait screen",
    os: "windows",
    change: {},
    screen: { width: 864, height: 1536 },
    says: /no desktop's/,
  },
  {
    what: "a screen of 777x1164",
    os: "macos",
    change: {},
    screen: { width: 777, height: 1164 },
    says: /no desktop's/,
  },
  {
    what: "a screen of 800x600",
    os: "linux",
    change: {},
    screen: { width: 800, height: 600 },
    says: /no desktop's/,
  },
  {
    what: "a screen size that is not sold",
    os: "linux",
    change: {},
    screen: { width: 1921, height: 1080 },
    says: /no linux machine has a screen of 1921x1080/,
  },
  {
    what: "a fractional size",
    os: "windows",
    change: {},
    screen: { width: 1707, height: 960, devicePixelRatio: 1.5 },
    says: /no whole number of pixels/,
  },
  {
    what: "a zoomed page",
    os: "windows",
    change: {},
    screen: { devicePixelRatio: 1.100000023841858 },
    says: /no scaling of 1\.1/,
  },
  {
    what: "a colour depth",
    os: "macos",
    change: {},
    screen: { colorDepth: 32 },
    says: /no colour depth of 32/,
  },
  {
    what: "macOS without a menu bar",
    os: "macos",
    change: {},
    screen: { insetTop: 0 },
    says: /no bar of 0 at the top/,
  },
  {
    what: "Windows with a menu bar",
    os: "windows",
    change: {},
    screen: { insetTop: 25 },
    says: /no bar of 25 at the top/,
  },
  {
    what: "a bar of half the screen",
    os: "linux",
    change: {},
    screen: { insetBottom: 500 },
    says: /bar of 500/,
  },
  {
    what: "the task bar of another Windows",
    os: "windows",
    change: { platformVersion: "10.0.0" },
    says: /is 40 high, not 48/,
  },
];

describe("the checker of devices", () => {
  for (const os of systems) {
    test(`finds no fault in a coherent ${os} device`, () => {
      assert.deepEqual(incoherences(goodDevice(os), os, hostFor(os)), []);
    });
  }
  for (const { what, os, change, screen, says } of incoherentDevices) {
    test(`finds ${what}`, () => {
      const good = goodDevice(os);
      const device = { ...good, ...change, screen: { ...good.screen, ...screen } };
      const found = incoherences(device, os, hostFor(os));
      assert.ok(
        found.some((fault) => says.test(fault)),
        found.join("; ") || "no fault was found",
      );
    });
  }
  test("finds a device of one system incoherent for every other", () => {
    for (const os of systems) {
      for (const other of systems.filter((name) => name !== os)) {
        assert.notDeepEqual(incoherences(goodDevice(os), other, hostFor(other)), [], `${os} as ${other}`);
      }
    }
  });
});
