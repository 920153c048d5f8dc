/** Chooses devices: draws samples until enough of them are coherent and different. */
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
  taken: readonly string[];
}

export interface DeviceSource {
  draw(os: ProfileOs): DeviceSample;
  random(): number;
}

/** Draws for one device before it may equal another profile's device. */
const drawsForNewMax = 200;
const drawsMax = 2_000;

export function deviceFrom(
  sample: DeviceSample,
  { os, host }: Pick<DeviceWish, "os" | "host">,
  random: () => number,
): Fingerprint | null {
  if (sampleFaults(sample, os).length > 0) return null;
  const device = deviceOf(sample, os, host, random);
  return device === null || incoherences(device, os, host).length > 0 ? null : device;
}

/** Variants of a device with other fitting processors or bars, for when the same device is already taken. */
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

/** Coherent and different devices; one equals a `taken` one only if no other was found. Throws `internal` if there are too few. */
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
