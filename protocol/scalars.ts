/** The scalar types of the wire, with the rules that typia checks. */
import type { tags } from "typia";

// These docstrings appear in the OpenAPI document. Uuid has its own pattern, because typia's format accepts
// `urn:uuid:`.

/** A uuid: 32 hexadecimal digits in five groups. */
export type Uuid = string &
  tags.Pattern<"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"> &
  tags.JsonSchemaPlugin<{ format: "uuid" }>;

/** An RFC 3339 instant. The service writes UTC with milliseconds. */
export type DateTime = string & tags.Format<"date-time">;

/** An integer of at least 0. */
export type Count = number & tags.Type<"uint32">;

/** A string that is not empty. */
export type Text = string & tags.MinLength<1>;

export type ProfileOs = "windows" | "macos" | "linux";

export type ProfileStatus = "stopped" | "starting" | "running" | "crashed";

export type RunStatus = "running" | "completed" | "partial" | "failed" | "skipped";

/** Who started a run; null is a plain REST call (protocol/README.md, "Scripts, runs"). */
export type RunSource = "schedule" | "app" | "agent";

/** Where the parts of a run run (actors/fleet/README.md). `auto`: in the fleet when it is on, else here. */
export type Placement = "local" | "fleet" | "auto";

/** What a token may call (protocol/README.md, "Access classes"). */
export type Access = "read" | "write";

/** The libraries that a Raw script can use (actors/script/README.md, "Sandbox"). */
export type ScriptLibrary = "playwright" | "puppeteer";

/**
 * What a script's process is isolated from. `sealed`: files, network and other processes; `namespaces`: network and
 * other processes; `lock`: nothing by the system, only refusals inside the process.
 */
export type IsolationLevel = "sealed" | "namespaces" | "lock";

/** A tag, or a group's name. */
export type Label = string & tags.MinLength<1> & tags.MaxLength<64>;
export type Labels = Label[] & tags.MaxItems<100>;
