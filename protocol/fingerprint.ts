/** The device that a profile shows: sampled once, when the profile is created, and stored (actors/profile/README.md, "Devices"). */
import type { tags } from "typia";
import type { Count, ProfileOs } from "./scalars.ts";

/** In CSS pixels; width and height times `devicePixelRatio` are integers. */
export interface ScreenShape {
  width: Count;
  height: Count;
  devicePixelRatio: number & tags.Minimum<0.5> & tags.Maximum<5>;
  colorDepth: 24 | 30 | 32;
  /** Space that the system's bars take: macOS menu bar, task bar, dock. */
  insetTop: Count;
  insetBottom: Count;
}

/** WebGL's UNMASKED_VENDOR_WEBGL and UNMASKED_RENDERER_WEBGL. */
export interface Gpu {
  vendor: string;
  renderer: string;
}

/** Only the device's own values; others follow from the engine and the host (actors/profile/README.md, "Where values come from"). */
export interface Fingerprint {
  screen: ScreenShape;
  hardwareConcurrency: Count;
  /** Null: the host's. */
  gpu: Gpu | null;
  /** UA-CH `architecture` and `bitness`. */
  architecture: "x86" | "arm";
  bitness: "64";
  /** UA-CH `platformVersion`, such as "15.0.0"; "" on linux. */
  platformVersion: string;
}

/** What a sampled device adopts from the host, so that a profile of the host's system is native. */
export interface HostDevice {
  os: ProfileOs;
  architecture: "x86" | "arm";
}
