/** What a profile thread gets at launch; it never asks storage (actors/README.md, "Threads"). */
import type { LaunchExtension } from "./extensions.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { ExitSources, ProxyExit, ProxyMeasurement, ProxyUpstream } from "./proxies.ts";
import type { BlockKind } from "./requests.ts";
import type { ProfileOs, ScriptLibrary, Uuid } from "./scalars.ts";

/** Paths are absolute. */
export interface ProfileSpec {
  profileId: Uuid;
  name: string;
  os: ProfileOs;
  /** Null: shows the host's. */
  fingerprint: Fingerprint | null;
  timezone: string;
  /** `navigator.languages`, preferred first; empty: the host's. */
  languages: string[];
  proxy: ProfileSpecProxy | null;
  userDataDir: string;
  uploadsDir: string;
  /** Absent: no. */
  keepsSessionCookies?: boolean;
  /** Of the setting; 0 or absent: never. */
  freezeAfterSecs?: number;
}

export interface ProfileSpecProxy {
  upstream: ProxyUpstream;
  /** As last measured; null: never. */
  exit: ProxyExit | null;
  sources: ExitSources;
}

/** protocol/README.md, "Launch". */
export interface LaunchOptions {
  diagnostic: boolean;
  headless: boolean;
  /** 0 means never. */
  idleTimeoutSecs: number;
  /** 0: never; absent: as the spec has it. */
  freezeAfterSecs?: number;
  /** Requests that fail; absent: none. */
  block?: { kinds: BlockKind[]; urls: string[] };
  /** Absent: none. */
  extensions?: LaunchExtension[];
}

/** `launchMs`: from the slot to the browser's answer. */
export interface LaunchedProfile extends Launched {
  launchMs: number;
  /** Another launch opened it, so this caller must not close it. Only with `wait`. */
  joined?: boolean;
}

export interface Launched {
  cdpUrl: string;
  pid: number;
  /** Also for lack of a display. */
  headless: boolean;
  diagnostic: boolean;
  /** Measured during the start; null: no proxy. */
  exit: ProxyMeasurement | null;
}

/** Running state of a profile; one that is not listed is stopped. */
export interface LiveProfile {
  profileId: Uuid;
  status: "starting" | "running" | "crashed";
  cdpUrl: string | null;
  /** Only while it runs. */
  pid?: number;
  headless: boolean;
  /** What the user is asked, while the profile is handed to the user. */
  handoff?: string;
}

/** For a runner that starts before its script. */
export interface WarmRunner {
  library: ScriptLibrary;
  /** Decides the memory limit, which is fixed when the process starts. */
  approved: boolean;
}
