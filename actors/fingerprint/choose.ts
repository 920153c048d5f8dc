/** Choosing devices: samples are drawn until as many as were asked for are coherent and differ from each other. */
import { Fault } from "../../protocol/faults.ts";
import type { Fingerprint, HostDevice } from "../../protocol/fingerprint.ts";
import type { ProfileOs } from "../../protocol/scalars.ts";
import { incoherences } from "./coherence.ts";
import { deviceKey } from "./device-key.ts";
import { linuxBars, taskBarOf } from "./hardware.ts";
import { threadsOf } from "./processors.ts";
import { type DeviceSample, deviceOf, sampleFaults } from "./sample.ts";

export interface DeviceWish {
  os: ProfileOs;
  count: number;
  host: HostDevice;
  /** Keys (`deviceKey`) of devices that other profiles have. */
  taken: readonly string[];
}

export interface DeviceSource {
  /** The next sample of this system; independent of those before. */
  draw(os: ProfileOs): DeviceSample;
  /** From 0 to below 1. */
  random(): number;
}

/**
 * Samples drawn for one device before one that another profile has is taken too. When others have 300 Linux devices one draw in
 * seven gives a new one, so 60 draws gave none for one device in six thousand.
 */
const drawsForNewMax = 200;
/** Samples drawn for one device before the search is given up. */
const drawsMax = 2_000;

/** Null when the sample is unfit. */
export function deviceFrom(
  sample: DeviceSample,
  { os, host }: Pick<DeviceWish, "os" | "host">,
  random: () => number,
): Fingerprint | null {
  if (sampleFaults(sample, os).length > 0) return null;
  const device = deviceOf(sample, os, host, random);
  return device === null || incoherences(device, os, host).length > 0 ? null : device;
}

/** The same machine with another processor that goes with its graphics, or with other bars: for when its like is there already. */
function variantsOf(
  device: Fingerprint,
  { os, host }: Pick<DeviceWish, "os" | "host">,
  random: () => number,
): Fingerprint[] {
  const { screen, gpu, platformVersion } = device;
  const own = [screen.insetTop, screen.insetBottom] as const;
  const bars = {
    macos: [own],
    linux: linuxBars,
    windows: [[0, taskBarOf(platformVersion)] as const, [0, 0] as const],
  };
  const all = threadsOf(gpu?.renderer ?? null).flatMap((hardwareConcurrency) =>
    bars[os].map(
      ([insetTop, insetBottom]): Fingerprint => ({
        ...device,
        hardwareConcurrency,
        screen: { ...screen, insetTop, insetBottom },
      }),
    ),
  );
  const start = Math.floor(random() * all.length);
  const turned = [...all.slice(start), ...all.slice(0, start)];
  return turned.filter((variant) => incoherences(variant, os, host).length === 0);
}

/**
 * Coherent devices, no two alike; like one of `taken` only when no other was found for it. Throws `internal` when the
 * source has not so many.
 */
export function chooseDevices(wish: DeviceWish, source: DeviceSource): Fingerprint[] {
  const taken = new Set(wish.taken);
  const chosen = new Map<string, Fingerprint>();
  for (let draws = 0; chosen.size < wish.count; draws++) {
    if (draws > drawsMax) {
      throw new Fault("internal", `only ${chosen.size} different ${wish.os} devices were found`);
    }
    const sampled = deviceFrom(source.draw(wish.os), wish, source.random);
    if (sampled === null) continue;
    const isFree = (device: Fingerprint) => {
      const key = deviceKey(device);
      return !chosen.has(key) && (draws >= drawsForNewMax || !taken.has(key));
    };
    const device = isFree(sampled) ? sampled : variantsOf(sampled, wish, source.random).find(isFree);
    if (device === undefined) continue;
    chosen.set(deviceKey(device), device);
    draws = 0;
  }
  return [...chosen.values()];
}
