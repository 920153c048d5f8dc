/** The operations thread: what needs several actors, on profiles that need not run and on proxies. */
import type { Cookie, RefusedCookie } from "../cookies.ts";
import type { EventType } from "../events.ts";
import type { HostDevice } from "../fingerprint.ts";
import type { Checkpoint } from "../profile-copies.ts";
import type { PoolProxy, TestProxyPoolReply } from "../proxies.ts";
import type { CreateProfilesBody, CreateProfilesReply } from "../requests.ts";
import type { Count, ProfileOs, Uuid } from "../scalars.ts";
import type { StorageState, StorageStateReply } from "../storage-state.ts";
import type { CreateWebhookReply } from "../webhooks.ts";
import type { BackupCalls, BackupReply } from "./backups.ts";
import type { Deadlines } from "./deadlines.ts";
import type { ProfileKeepingCalls } from "./profile-keeping.ts";

export interface WantedProfiles {
  count: CreateProfilesBody["count"];
  nameTemplate: string;
  /** Null: the host's. */
  os: ProfileOs | null;
  tags: string[];
  proxyPoolId?: Uuid;
  identityDatasetId?: Uuid;
  contentDatasetId?: Uuid;
}

export interface ImportedCookies {
  taken: Count;
  /** Session cookies among them, lost because the browser was open for the import only. */
  forgotten: Count;
  refused: RefusedCookie[];
}

export interface OperationsApi {
  /** Samples devices and measures exits, then stores all at once (protocol/README.md, "Create profiles"). Throws as `LibraryApi.createProfiles` and `proxiesForNew`. */
  createProfiles(input: WantedProfiles): Promise<CreateProfilesReply>;
  /** Stops those that run. Throws `not-found`. */
  trashProfiles(input: Parameters<ProfileKeepingCalls["trashProfiles"]>[0]): Promise<null>;
  /** To the trash, or for good, also from the trash; stops it first. Throws `not-found`, `conflict` (a run uses it). */
  deleteProfile(input: { profileId: Uuid; permanent: boolean }): Promise<null>;
  /** Opens a stopped profile without a window meanwhile. `domain`: only of this host and those below. Throws `conflict` as a launch does. */
  exportCookies(input: { profileId: Uuid; domain?: string }): Promise<{ cookies: Cookie[] }>;
  /** Of Playwright, Puppeteer or EditThisCookie, or a cookies.txt. Opens the profile as `exportCookies`. `replace`: removes all others. Throws `conflict`, `invalid` (none is readable, in which case nothing changes). */
  importCookies(input: {
    profileId: Uuid;
    cookies: unknown[] | string;
    replace?: boolean;
  }): Promise<ImportedCookies>;
  /** Throws as `exportCookies`. */
  deleteCookies(input: { profileId: Uuid; domain: string | null }): Promise<null>;
  /** Opens a stopped profile as `exportCookies`. */
  readStorageState(input: { profileId: Uuid }): Promise<StorageState>;
  /** Replaces all. Throws as `exportCookies`, and `invalid` (the state). */
  writeStorageState(input: { profileId: Uuid; state: StorageState }): Promise<StorageStateReply>;
  /** Throws as `ProfileCopyCalls.duplicateProfile`; with state `conflict` while it runs. */
  duplicateProfile(input: {
    profileId: Uuid;
    count: number;
    nameTemplate: string | null;
    withState: boolean;
    sameDevice: boolean;
  }): Promise<CreateProfilesReply>;
  /** Throws as the library's, and `conflict` while it runs, unless `restart`. */
  createCheckpoint(input: {
    profileId: Uuid;
    name: string;
    note: string | null;
    restart: boolean;
  }): Promise<Checkpoint>;
  /** Throws as the library's, and `conflict` while it runs. */
  restoreCheckpoint(input: { profileId: Uuid; checkpointId: Uuid }): Promise<null>;
  /** Throws as the library's, and `conflict` while it runs. */
  exportProfile(input: { profileId: Uuid; cookiesOnly: boolean }): Promise<{ file: string; slug: string }>;
  /** Throws as the library's. */
  importProfile(input: { file: string }): Promise<{ profileId: Uuid; missing: string[] }>;
  /** Stores the results when all proxies have answered. Throws `not-found`. */
  testProxyPool(input: { poolId: Uuid }): Promise<TestProxyPoolReply>;
  /** By slot; `waiting`: slots that a `testProxies` has yet to answer. Throws `not-found`. */
  listProxies(input: { poolId: Uuid }): Promise<{ proxies: PoolProxy[]; waiting: Count[] }>;
  /** Stores each result at once, so that `listProxies` shows progress. Joins a test in progress. Throws `not-found`. */
  testProxies(input: { poolId: Uuid }): Promise<{ alive: Count; dead: Count }>;
  /** Sends events from now on. Throws as `WebhookCalls.addWebhook`, and `invalid` (the service itself). */
  createWebhook(input: { url: string; types: EventType[] | null }): Promise<CreateWebhookReply>;
  /** Throws `not-found`. */
  deleteWebhook(input: { webhookId: Uuid }): Promise<null>;
  /** The service's own ports, to which no event is sent. */
  ownPorts(input: { ports: number[] }): Promise<null>;
  /** Leaves out the files of running profiles. Throws as `BackupCalls.backup`. */
  backup(input: Omit<Parameters<BackupCalls["backup"]>[0], "running">): Promise<BackupReply>;
}

/** Operations consist of calls that have deadlines of their own. */
export const operationsDeadlines = {
  createProfiles: Number.POSITIVE_INFINITY,
  trashProfiles: Number.POSITIVE_INFINITY,
  deleteProfile: Number.POSITIVE_INFINITY,
  exportCookies: Number.POSITIVE_INFINITY,
  importCookies: Number.POSITIVE_INFINITY,
  deleteCookies: Number.POSITIVE_INFINITY,
  readStorageState: Number.POSITIVE_INFINITY,
  writeStorageState: Number.POSITIVE_INFINITY,
  duplicateProfile: Number.POSITIVE_INFINITY,
  createCheckpoint: Number.POSITIVE_INFINITY,
  restoreCheckpoint: Number.POSITIVE_INFINITY,
  exportProfile: Number.POSITIVE_INFINITY,
  importProfile: Number.POSITIVE_INFINITY,
  testProxyPool: Number.POSITIVE_INFINITY,
  testProxies: Number.POSITIVE_INFINITY,
  backup: Number.POSITIVE_INFINITY,
} satisfies Deadlines<OperationsApi>;

export interface OperationsConfig {
  /** The machine that shows the profiles' devices. */
  host: HostDevice;
  chromiumPath: string;
  ownPorts: number[];
  /** The thread replaces one that died, perhaps before it stopped profiles that it moved to the trash. */
  restarted: boolean;
}
