/** What a profile thread is given at launch; it asks storage for nothing (actors/README.md, "Threads"). */
import type { Fingerprint } from "./fingerprint.ts";
import type { ExitSources, ProxyExit, ProxyMeasurement, ProxyUpstream } from "./proxies.ts";
import type { ProfileOs, ScriptLibrary, Uuid } from "./scalars.ts";

/** Everything that makes a profile's browser what it is. Paths are absolute. */
export interface ProfileSpec {
  profileId: Uuid;
  name: string;
  os: ProfileOs;
  /** The device it shows; null: created before devices were sampled, shows the host's. */
  fingerprint: Fingerprint | null;
  /** IANA zone that the browser shows. */
  timezone: string;
  /** What `navigator.languages` gives, first the preferred one; empty: the host's. */
  languages: string[];
  /** Null: goes out directly. */
  proxy: ProfileSpecProxy | null;
  /** Chromium's user data directory of this profile. */
  userDataDir: string;
  uploadsDir: string;
}

/** The proxy a launch goes through, and how its exit is measured beside the browser's start. */
export interface ProfileSpecProxy {
  upstream: ProxyUpstream;
  /** As last measured; null: never. */
  exit: ProxyExit | null;
  sources: ExitSources;
}

/** How one launch differs from another (protocol/README.md, "Launch"). */
export interface LaunchOptions {
  diagnostic: boolean;
  headless: boolean;
  /** 0 means never. */
  idleTimeoutSecs: number;
}

/** A browser that has answered, and how long it took from the slot to the answer, in milliseconds. */
export interface LaunchedProfile extends Launched {
  launchMs: number;
  /** Another launch has opened it: it is not this caller's to close. Only in answers to launches with `wait`. */
  joined?: boolean;
}

/** A browser that has answered. */
export interface Launched {
  cdpUrl: string;
  pid: number;
  /** Runs without a window, asked for or for want of a display. */
  headless: boolean;
  diagnostic: boolean;
  /** What was found of the way out beside the start; null: the profile has no proxy. */
  exit: ProxyMeasurement | null;
}

/** The live side of a profile, as the pool knows it. A profile that is not listed is stopped. */
export interface LiveProfile {
  profileId: Uuid;
  status: "starting" | "running" | "crashed";
  cdpUrl: string | null;
  /** As in Launched. */
  /** As in Launched; while it runs. */
  pid?: number;
  headless: boolean;
}

/** What a runner that is started ahead of its script will be asked for. */
export interface WarmRunner {
  library: ScriptLibrary;
  /** An approved script may use more memory, which is fixed when its process starts. */
  approved: boolean;
}
