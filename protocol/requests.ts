/** Request bodies and replies, by route (protocol/README.md, "What the service does"). */
import type { tags } from "typia";
import type { CookieShapes } from "./cookies.ts";
import type { DatasetShapes } from "./datasets.ts";
import type { DownloadShapes } from "./downloads.ts";
import type { DslShapes } from "./dsl/requests.ts";
import type { EventShapes } from "./events.ts";
import type { ExtensionId } from "./extensions.ts";
import type { VerbShapes } from "./generated/verb-table.ts";
import type { HandoffShapes } from "./handoff.ts";
import type { ProfileCopyShapes } from "./profile-copies.ts";
import type { ProxyLine, ProxyShapes } from "./proxies.ts";
import type { Profile } from "./records.ts";
import type { RunShapes } from "./run-requests.ts";
import type {
  Count,
  DateTime,
  Labels,
  ProfileOs,
  ProfileStatus,
  ScriptLibrary,
  Text,
  Uuid,
} from "./scalars.ts";
import type { ScheduleRequestShapes } from "./schedules.ts";
import type { StorageStateShapes } from "./storage-state.ts";
import type { WebhookShapes } from "./webhooks.ts";

export interface IdParams {
  id: Uuid;
}

export interface TabParams extends IdParams {
  /** From the list of tabs. */
  tab_id: Text;
}

export interface OpenTabBody {
  /** http, https, data: or about:blank. Default about:blank. */
  url?: Text;
}

/** A tab of a running profile. */
export interface TabRecord {
  tab_id: string;
  url: string;
  title: string;
  /** Operations without a `tab_id` work on it. */
  current: boolean;
  /** The tab whose page opened it. */
  opener_tab_id?: string;
}

export interface CreateProfilesBody {
  /** Number of profiles to create. */
  count: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<50>;
  /** `{n}` is replaced by 1, 2, …. Default `Profile {n}`. */
  name_template?: string & tags.MinLength<1> & tags.MaxLength<200>;
  /** The operating system that the profiles show. Default: the host's. */
  os?: ProfileOs;
  /** An empty array is refused: leave the field out. */
  tags?: (string & tags.MinLength<1> & tags.MaxLength<64>)[] & tags.MinItems<1> & tags.MaxItems<100>;
  /** Each profile takes a slot of this pool. A rotating pool is refused. */
  proxy_pool_id?: Uuid;
  /** A fixed dataset; each new profile takes one unassigned row. */
  identity_dataset_id?: Uuid;
  /** A consume dataset for the Content slot. */
  content_dataset_id?: Uuid;
}

export interface CreatedProfile {
  name: string;
  profile_id: Uuid;
  timezone: string;
  /** The profile's index in the proxy pool. */
  proxy_slot?: Count;
}

export interface FailedProfile {
  error: string;
  /** Index of the failed profile, from 0. */
  index: Count;
}

export interface CreateProfilesReply {
  created: CreatedProfile[];
  failed: FailedProfile[];
  location_warning?: string;
  timezone_warning?: string;
}

// Kinds of requests that a launch can block.
export type BlockKind = "image" | "media" | "font" | "ads" | "tracking";

export interface LaunchBody {
  /**
   * Uses the profile's proxy but none of its fingerprint, cookies and logins.
   */
  diagnostic?: boolean;
  /** Runs without a window, as every launch does without a display; not a stealth feature. */
  headless?: boolean;
  /**
   * Stops after this many seconds without a call that names the profile; 0: never. Traffic straight to cdpUrl does not
   * count. Default: the setting.
   */
  idle_timeout_secs?: number & tags.Type<"uint32">;
  /** Without a window, freezes unused pages after so long; 0: never. Default: the setting. */
  freeze_after_secs?: number & tags.Type<"uint32">;
  /** Waits so long for a slot, by turns between tokens; then 409. Default 0. */
  wait_ms?: number & tags.Type<"uint32"> & tags.Maximum<600000>;
  /** Opened before the reply, in the first tab: http, https, data: or about:blank. */
  start_url?: Text;
  /** Requests that fail: types, or known hosts. */
  block?: BlockKind[];
  /** Addresses that fail; `*` is any text, `?` one character. */
  block_urls?: Text[] & tags.MaxItems<500>;
  /** Unpacked extensions that the user has added in the application, by id. */
  extensions?: ExtensionId[] & tags.MaxItems<50>;
}

export interface LaunchReply {
  /** HTTP address of the browser's DevTools endpoint, on loopback. It changes at every start. */
  cdpUrl: string;
  pid: Count;
  diagnostic?: true;
  headless?: true;
}

export interface SetVariablesBody {
  /**
   * All stored variables: names that are left out are removed. A name is a letter or `_` and up to 63 letters, digits
   * or `_`; a value has up to 64 KiB.
   */
  variables: Record<string, string & tags.JsonSchemaPlugin<{ writeOnly: true }>>;
}

export interface SetVariablesReply {
  /** Names only, sorted; values are never returned. */
  variableNames: string[];
}

export interface SaveScriptBody {
  name: string & tags.MinLength<1> & tags.MaxLength<200>;
  /** TypeScript source of one module. It is checked against the Raw script contract first. */
  source: Text;
  description?: string & tags.MaxLength<10000>;
  /** The script to replace; omit to create. A new source withdraws the approval. */
  script_id?: Uuid;
}

export interface SaveScriptReply {
  approved: boolean;
  scriptId: Uuid;
  version: string;
}

/** Without a key every profile; with several, those that fit all. */
export interface ListProfilesQuery {
  tag?: Text;
  folder?: Text;
  group?: Text;
  status?: ProfileStatus;
  /** A text in their name, slug, folder, tags or groups, in any case. */
  search?: Text;
  /** At most this many, oldest first. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<1000>;
  /** The last id of the page before. */
  after?: Uuid;
}

/** A slot of a proxy pool. */
export interface ProxyChoice {
  pool_id: Uuid;
  /** Index of the proxy in the pool. Default: the least used one. */
  slot?: Count;
}

/** An absent field stays as it is. */
export interface PatchProfileBody {
  /** The slug follows it. */
  name?: string & tags.MinLength<1> & tags.MaxLength<200>;
  /** null: no folder. */
  folder?: (Text & tags.MaxLength<100>) | null;
  /** All of its groups; null or []: none. */
  groups?: Labels | null;
  /** All of its tags; null or []: none. */
  tags?: Labels | null;
  /** An IANA name, such as Europe/Berlin; null: the host's. The measured place of a proxy comes before it. */
  timezone?: Text | null;
  /** BCP 47 tags, the preferred one first; null or []: the host's. */
  languages?: (Text[] & tags.MaxItems<20>) | null;
  /** A proxy line as of `POST /v1/proxy-pools`, a slot of a pool, or null: none. */
  proxy?: ProxyLine | ProxyChoice | null;
}

export interface DeleteProfileQuery {
  /** Deletes it with all its data, also from the trash. Without it the profile goes to the trash, from which it can be restored. */
  permanent?: boolean;
}

/** Without a key the whole list. */
export interface PageQuery {
  /** At most this many, in the order of the list. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<1000>;
  /** The id, or a file's name, of the last one of the page before. */
  after?: Text;
}

export interface ListTrashQuery {
  /** At most this many, in the order of the profiles' creation. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<1000>;
  /** The last id of the page before. */
  after?: Uuid;
}

/** A profile in the trash. */
export interface TrashedProfile {
  profile: Profile;
  deleted_at: DateTime;
}

export interface CheckScriptBody {
  /** TypeScript source of one module. */
  source: Text;
}

export interface ContractBreach {
  line: Count;
  rule: string;
  message: string;
}

export interface CheckScriptReply {
  /** Whether it may be saved. */
  ok: boolean;
  /** What it imports. */
  library: ScriptLibrary;
  breaches: ContractBreach[];
}

/** The settings that the API shows. */
export interface ApiSettings {
  /** Seconds without a call after which a browser stops; 0: never. */
  idleTimeoutSecs: Count;
  /** Longest time of a script on one profile, in milliseconds. */
  runProfileTimeoutMs: Count & tags.Minimum<1000>;
  /** A stopped profile keeps the cookies that last for a browser session. */
  keep_session_cookies: boolean;
  /** Without a window, pages that nobody has used or seen for so many seconds are frozen; 0: never. */
  freeze_after_secs: Count;
  /** Days that files of ended runs stay; 0: no limit. */
  runFilesKeptDays: Count;
  /** MiB that files of ended runs may have together; 0: no limit. */
  runFilesMbMax: Count;
}

/** An absent field stays as it is. */
export interface PatchSettingsBody extends Partial<ApiSettings> {}

/** Every error body. */
export interface ErrorBody {
  /** Begins with its kind, such as `invalid request: count must be an integer from 1 to 50, got 51`. */
  error: string;
}

/** Request shapes by name, for route records and for the checks in `protocol/checks/`. */
export interface RequestShapes
  extends CookieShapes,
    DatasetShapes,
    DownloadShapes,
    DslShapes,
    EventShapes,
    HandoffShapes,
    ProfileCopyShapes,
    ProxyShapes,
    RunShapes,
    ScheduleRequestShapes,
    StorageStateShapes,
    VerbShapes,
    WebhookShapes {
  IdParams: IdParams;
  TabParams: TabParams;
  OpenTabBody: OpenTabBody;
  CreateProfilesBody: CreateProfilesBody;
  LaunchBody: LaunchBody;
  SetVariablesBody: SetVariablesBody;
  SaveScriptBody: SaveScriptBody;
  ListProfilesQuery: ListProfilesQuery;
  PatchProfileBody: PatchProfileBody;
  DeleteProfileQuery: DeleteProfileQuery;
  PageQuery: PageQuery;
  ListTrashQuery: ListTrashQuery;
  CheckScriptBody: CheckScriptBody;
  PatchSettingsBody: PatchSettingsBody;
}
