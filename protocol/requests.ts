/** What callers send and what each call answers, route by route (protocol/README.md, "What the service does"). */
import type { tags } from "typia";
import type { DatasetShapes } from "./datasets.ts";
import type { DslShapes } from "./dsl/requests.ts";
import type { ProxyShapes } from "./proxies.ts";
import type { Run, RunProfile } from "./records.ts";
import type { Count, ProfileOs, Text, Uuid } from "./scalars.ts";
import type { ScheduleRequestShapes } from "./schedules.ts";

/** The path of a call that names one resource. */
export interface IdParams {
  id: Uuid;
}

/** `POST /v1/profiles`. */
export interface CreateProfilesBody {
  /** How many profiles to create. */
  count: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<50>;
  /** `{n}` is replaced by 1, 2, …; default `Profile {n}`. */
  name_template?: string & tags.MinLength<1> & tags.MaxLength<200>;
  /** The operating system the profiles show; default: the host's. */
  os?: ProfileOs;
  /** An empty array is rejected: leave the field out. */
  tags?: (string & tags.MinLength<1> & tags.MaxLength<64>)[] & tags.MinItems<1> & tags.MaxItems<100>;
  /** Each profile takes a slot of this pool; a rotating pool is rejected. */
  proxy_pool_id?: Uuid;
  /** A fixed dataset; consumes one unassigned row per new profile. */
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
  /** The index of the profile that failed, from 0. */
  index: Count;
}

export interface CreateProfilesReply {
  created: CreatedProfile[];
  failed: FailedProfile[];
  location_warning?: string;
  timezone_warning?: string;
}

/** `POST /v1/profiles/{id}/launch`. */
export interface LaunchBody {
  /**
   * Uses the profile's proxy but none of its fingerprint, in a temporary browser directory deleted on stop: no cookies
   * or logins, nothing written to the profile.
   */
  diagnostic?: boolean;
  /** Runs without a window; not a stealth feature. Without a display every launch runs so, and the reply says it. */
  headless?: boolean;
  /**
   * Stops the browser after this many seconds without a call naming the profile; 0 means never. Traffic sent straight
   * to cdpUrl does not count. Default: the application's setting, 30 minutes unless changed.
   */
  idle_timeout_secs?: number & tags.Type<"uint32">;
}

export interface LaunchReply {
  /** HTTP address of the browser's DevTools endpoint, on loopback. It changes at every start. */
  cdpUrl: string;
  pid: Count;
  diagnostic?: true;
  headless?: true;
}

/** `POST /v1/profiles/{id}/variables`. */
export interface SetVariablesBody {
  /**
   * All stored variables of the profile: what is not named here is removed. Names are a letter or `_` and up to 63
   * letters, digits or `_`; values have up to 64 KiB.
   */
  variables: Record<string, string & tags.JsonSchemaPlugin<{ writeOnly: true }>>;
}

export interface SetVariablesReply {
  /** Names only, sorted; values are never returned. */
  variableNames: string[];
}

/** `POST /v1/scripts/run`. */
export interface RunScriptBody {
  script_id: Uuid;
  /** The profiles to run on, at least one; an id given twice counts once. */
  profile_ids: Uuid[] & tags.MinItems<1> & tags.MaxItems<10000>;
  /** Handed to the script as `variables`; they win over the profile's stored variables. */
  variables?: Record<string, string>;
  /** Runs browsers that this run opens without a window. */
  headless?: boolean;
}

/** `POST /v1/scripts/batch`. */
export interface BatchBody {
  /** An approved script. */
  script_id: Uuid;
  /** The profiles to run on, at least one; an id given twice counts once. */
  profile_ids: Uuid[] & tags.MinItems<1> & tags.MaxItems<10000>;
  /** Profiles driven at the same time, from 1 to the browser pool's `max` (the default). */
  concurrency?: number & tags.Type<"uint32"> & tags.Minimum<1>;
  /** Least time between two starts, in milliseconds. */
  stagger_ms?: number & tags.Type<"uint32"> & tags.Maximum<600000>;
  /** Handed to the script as `variables`; they win over the profile's stored variables. */
  variables?: Record<string, string>;
}

/** `POST /v1/scripts`. */
export interface SaveScriptBody {
  name: string & tags.MinLength<1> & tags.MaxLength<200>;
  /** Full TypeScript source of one module (the Raw script contract is checked first). */
  source: Text;
  description?: string & tags.MaxLength<10000>;
  /** The script to replace; omit to create. Replacing the source withdraws its approval. */
  script_id?: Uuid;
}

export interface SaveScriptReply {
  approved: boolean;
  scriptId: Uuid;
  version: string;
}

/** `GET /v1/runs`. */
export interface ListRunsQuery {
  /** Only runs of this schedule. */
  schedule_id?: Uuid;
  /** How many, newest first; default 20. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<100>;
}

/** `GET /v1/runs/{id}/profiles`. */
export interface RunProfilesQuery {
  /** Skips this many profiles; default 0. */
  offset?: Count;
  /** How many; default 100. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<1000>;
}

export interface RunProfilesReply {
  run: Run;
  /** In the order the run was given them. */
  profiles: RunProfile[];
}

/** `POST /v1/profiles/{id}/navigate`. */
export interface NavigateBody {
  /** http, https, data: or about:blank. */
  url: Text;
}

/** A JavaScript dialog that a verb met; it was dismissed (beforeunload: accepted). */
export interface MetDialog {
  type: "alert" | "confirm" | "prompt" | "beforeunload";
  message: string;
}

/** What every page verb answers. */
export interface MetDialogs {
  /** Present when the verb met JavaScript dialogs. */
  dialogs?: MetDialog[];
}

/** What page verbs but evaluate answer: where the tab is now, and the dialogs it met. */
export interface PageReply extends MetDialogs {
  /** URL of the tab after the verb. */
  url: string;
  title: string;
}

/** `GET /v1/profiles/{id}/snapshot`: without any of these, the whole page. */
export interface SnapshotQuery {
  /** Only elements to act on, with the landmarks, names and headings around them. */
  interactive?: boolean;
  /** A CSS selector: only its first match and what is in it, frames and open shadow roots included. */
  selector?: Text;
  /** Levels of lines below the first; what is left out is counted where it was. */
  depth?: number & tags.Type<"uint32"> & tags.Minimum<1>;
  /** Cuts the text after this many characters, at a line, and says so in a last line. */
  max_chars?: number & tags.Type<"uint32"> & tags.Minimum<1>;
}

/** `GET /v1/profiles/{id}/snapshot`. */
export interface SnapshotReply extends PageReply {
  /** Indented text: one line a node, `[id=N]` on each element. The first line is the tab's title and URL. */
  snapshot: string;
}

/** `POST /v1/profiles/{id}/click` and the others that name an element. */
export interface ClickBody {
  /** From a snapshot or wait-for-element. */
  node_id: Count;
}

/** `POST /v1/profiles/{id}/type`. */
export interface TypeBody {
  node_id: Count;
  /** Typed where the caret is after focusing the element; what was there stays. */
  text: string & tags.MaxLength<1048576>;
}

/** `POST /v1/profiles/{id}/press-key`. */
export interface PressKeyBody {
  key:
    | "Enter"
    | "Tab"
    | "Escape"
    | "ArrowUp"
    | "ArrowDown"
    | "ArrowLeft"
    | "ArrowRight"
    | "Backspace"
    | "Delete"
    | "Space";
}

/** `POST /v1/profiles/{id}/scroll`. */
export interface ScrollBody {
  /** Pixels. */
  amount: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<100000>;
  direction: "up" | "down" | "left" | "right";
}

/** `POST /v1/profiles/{id}/evaluate`. */
export interface EvaluateBody {
  /** JavaScript; a promise is awaited for up to 10 s, the result is JSON of at most 64 KiB. */
  expression: Text;
}

/** Without URL and title, which would cost another question to the browser: `location.href` is one expression away. */
export interface EvaluateReply extends MetDialogs {
  /** The value as JSON; null for undefined. */
  result: unknown;
}

/** `POST /v1/profiles/{id}/wait-for-element`. */
export interface WaitForElementBody {
  /** A CSS selector. */
  selector: Text;
  /** Default 10000; 0 looks once. */
  timeout_ms?: number & tags.Type<"uint32"> & tags.Maximum<120000>;
}

export interface WaitForElementReply extends PageReply {
  /** Of the first element that matches. */
  node_id: Count;
}

/** `POST /v1/profiles/{id}/set-file`. */
export interface SetFileBody {
  /** Of a file input. */
  node_id: Count;
  /** Relative to the application's uploads folder, and inside it, also where a link in it leads. */
  path: Text;
}

/** Every error body. */
export interface ErrorBody {
  /** Begins with its kind, as in `invalid request: count must be an integer from 1 to 50, got 51`. */
  error: string;
}

/** The request shapes by name: what a route record names and what `protocol/checks/wire.ts` makes a check for. */
export interface RequestShapes extends DatasetShapes, DslShapes, ProxyShapes, ScheduleRequestShapes {
  IdParams: IdParams;
  CreateProfilesBody: CreateProfilesBody;
  LaunchBody: LaunchBody;
  NavigateBody: NavigateBody;
  ClickBody: ClickBody;
  TypeBody: TypeBody;
  PressKeyBody: PressKeyBody;
  ScrollBody: ScrollBody;
  EvaluateBody: EvaluateBody;
  WaitForElementBody: WaitForElementBody;
  SetFileBody: SetFileBody;
  SnapshotQuery: SnapshotQuery;
  SetVariablesBody: SetVariablesBody;
  SaveScriptBody: SaveScriptBody;
  RunScriptBody: RunScriptBody;
  BatchBody: BatchBody;
  ListRunsQuery: ListRunsQuery;
  RunProfilesQuery: RunProfilesQuery;
}
