/** Scripts: saving, reading, and the approval of an exact source. */
import { createHash, randomUUID } from "node:crypto";
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { Script } from "../../protocol/records.ts";
import type { SaveScriptReply } from "../../protocol/requests.ts";
import type { Reader, Writer } from "../../storage/sqlite.ts";
import {
  approveSource,
  listScripts,
  readApprovedSource,
  readScript,
  type StoredScript,
  storeScript,
} from "../../storage/tables/scripts.ts";
import { instant, type LibraryContext } from "./context.ts";
import { settingsNow } from "./settings.ts";

/** Throws `not-found`. */
export function existingScript(sql: Reader, scriptId: string): StoredScript {
  const script = readScript(sql, scriptId.toLowerCase());
  if (script === null) throw new Fault("not-found", `script ${scriptId} does not exist`);
  return script;
}

export function isApproved(script: StoredScript): boolean {
  return script.approvedSha256 === script.sha256;
}

function recordOf(script: StoredScript): Script {
  const { id, name, version, mode, origin, description, source, sha256, createdAt, updatedAt } = script;
  const approved = isApproved(script);
  return {
    id,
    name,
    version: String(version),
    mode,
    origin,
    approved,
    description,
    source,
    sha256,
    createdAt,
    updatedAt,
  };
}

/** Throws `conflict` if the script was not saved by this API (protocol/README.md, "Scripts, runs"). */
function replaceable(sql: Reader, scriptId: string): StoredScript {
  const script = existingScript(sql, scriptId);
  if (script.mode === "dsl") {
    throw new Fault("conflict", `script ${scriptId} is a DSL script; create a new script instead`);
  }
  if (script.origin === "app") {
    throw new Fault(
      "conflict",
      `script ${scriptId} was written in the application; create a new script instead`,
    );
  }
  return script;
}

/** Throws `conflict` for a DSL script. The user may replace every Raw script. */
function replaceableRaw(sql: Reader, scriptId: string): StoredScript {
  const script = existingScript(sql, scriptId);
  if (script.mode === "dsl") {
    throw new Fault("conflict", `script ${scriptId} is a DSL script; open it in the block editor`);
  }
  return script;
}

function replaceableDsl(sql: Reader, scriptId: string): StoredScript {
  const script = existingScript(sql, scriptId);
  if (script.mode !== "dsl") {
    throw new Fault("conflict", `script ${scriptId} is a Raw script; create a new script instead`);
  }
  return script;
}

type Given = Pick<
  StoredScript,
  "name" | "description" | "mode" | "origin" | "library" | "source" | "document"
>;

/** Stores a new script or replaces `before`. Throws `invalid` if the plan has no scripts. */
function store(sql: Writer, given: Given, before: StoredScript | null, now: string): SaveScriptReply {
  // protocol/README.md, "Scripts, runs": a plan without the Flow feature answers 400 here, not 403.
  const { plan } = settingsNow(sql);
  if (!plan.flow) throw new Fault("invalid", `the plan ${plan.name} does not include scripts (Flow)`);
  const sha256 = createHash("sha256").update(given.source).digest("hex");
  const same = before?.sha256 === sha256;
  const script: StoredScript = {
    ...given,
    id: before?.id ?? randomUUID(),
    sha256,
    // Version and approval change only with the source, not with name, description or layout.
    version: (before?.version ?? 0) + (same ? 0 : 1),
    approvedSha256: same ? before.approvedSha256 : null,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
  storeScript(sql, script);
  return { approved: isApproved(script), scriptId: script.id, version: String(script.version) };
}

type ScriptCalls =
  | "listScripts"
  | "readScript"
  | "reviewScript"
  | "saveScript"
  | "saveDslScript"
  | "readDslScript"
  | "approveScript";

export function scriptsArea({ database, clock }: LibraryContext): Pick<LibraryApi, ScriptCalls> {
  return {
    listScripts: () => database.read(listScripts),
    readScript: ({ scriptId }) => database.read((sql) => recordOf(existingScript(sql, scriptId))),
    reviewScript: ({ scriptId }) =>
      database.read((sql) => {
        const script = existingScript(sql, scriptId);
        return { script: recordOf(script), approvedSource: readApprovedSource(sql, script.id) };
      }),
    saveScript: ({ scriptId, origin = "api", ...given }) =>
      database.write((sql) => {
        const mayReplace = origin === "api" ? replaceable : replaceableRaw;
        const before = scriptId === null ? null : mayReplace(sql, scriptId);
        return store(sql, { ...given, mode: "raw", origin, document: null }, before, instant(clock));
      }),
    saveDslScript: ({ scriptId, ...given }) =>
      database.write((sql) => {
        const before = scriptId === null ? null : replaceableDsl(sql, scriptId);
        return store(sql, { ...given, mode: "dsl", origin: "app" }, before, instant(clock));
      }),
    readDslScript: ({ scriptId }) =>
      database.read((sql) => {
        const script = existingScript(sql, scriptId);
        if (script.document === null)
          throw new Fault("conflict", `script ${scriptId} is a Raw script and has no document`);
        return { script: recordOf(script), library: script.library, document: script.document };
      }),
    approveScript: ({ scriptId, sha256 }) =>
      database.write((sql) => {
        const script = existingScript(sql, scriptId);
        if (sha256 !== null && sha256.toLowerCase() !== script.sha256) {
          throw new Fault(
            "conflict",
            `script ${scriptId} has a new source; read it again before you approve it`,
          );
        }
        approveSource(sql, script.id, script.sha256);
        return recordOf({ ...script, approvedSha256: script.sha256 });
      }),
  };
}
