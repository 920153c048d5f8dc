/** The scalar types of the wire, each with the rule that typia checks and the OpenAPI document shows. */
import type { tags } from "typia";

// The docstrings of these types are shown to callers in the OpenAPI document. The uuid's pattern is our own because
// typia's format lets `urn:uuid:` pass (gateway/README.md, "Routes").

/** A uuid: 32 hexadecimal digits in five groups. */
export type Uuid = string &
  tags.Pattern<"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"> &
  tags.JsonSchemaPlugin<{ format: "uuid" }>;

/** An RFC 3339 instant, in UTC with milliseconds when we write it. */
export type DateTime = string & tags.Format<"date-time">;

/** An integer of at least 0. */
export type Count = number & tags.Type<"uint32">;

/** A string that is not empty. */
export type Text = string & tags.MinLength<1>;

/** The operating systems a profile can show. */
export type ProfileOs = "windows" | "macos" | "linux";

/** Of a profile. */
export type ProfileStatus = "stopped" | "starting" | "running" | "crashed";

/** Of a run. */
export type RunStatus = "running" | "completed" | "partial" | "failed" | "skipped";

/** protocol/README.md, "Scripts, runs": who started a run; null is a plain REST call. */
export type RunSource = "schedule" | "app" | "agent";

/** protocol/README.md, "Access classes": what a token may call. */
export type Access = "read" | "write";

/** The libraries a Raw script can drive its page with (actors/script/README.md, "Sandbox"). */
export type ScriptLibrary = "playwright" | "puppeteer";

/**
 * What the system walls a script's process off from. `sealed`: files, network and other processes; `namespaces`: network and other
 * processes; `lock`: nothing, there is only what refuses inside the process.
 */
export type IsolationLevel = "sealed" | "namespaces" | "lock";
