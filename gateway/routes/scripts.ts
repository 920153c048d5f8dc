/** The routes of scripts: list, read, save, run. */
import { limits } from "../../protocol/limits.ts";
import { checkedLibrary } from "../contract-breach.ts";
import { refuseUnwalled } from "../isolation-min.ts";
import { type Call, route } from "../route.ts";
import { checkConcurrency } from "./concurrency.ts";

type RunCall = Call<unknown, unknown, unknown>;

export const scriptRoutes = [
  route({
    id: "listScripts",
    method: "GET",
    path: "/v1/scripts",
    access: "read",
    expensive: false,
    tag: "Scripts",
    quotes: null,
    summary: "List every script without its source",
    params: null,
    query: null,
    body: null,
    reply: { status: 200, schema: "ScriptListing", array: true, description: "All scripts, oldest first." },
    faults: {},
    handle: ({ actors }) => actors.library.listScripts({}),
  }),
  route({
    id: "readScript",
    method: "GET",
    path: "/v1/scripts/{id}",
    access: "read",
    expensive: false,
    tag: "Scripts",
    quotes: "script",
    summary: "Read a script's source and approval state",
    description:
      "The source of a DSL script is the code compiled from its document: this code runs, and an approval is bound to it. Only the application has the document.",
    params: "IdParams",
    query: null,
    body: null,
    reply: { status: 200, schema: "Script", description: "The script." },
    faults: { 400: "The id is not a uuid.", 404: "No script has this id." },
    handle: ({ params, actors }) => actors.library.readScript({ scriptId: params.id }),
  }),
  route({
    id: "checkScript",
    method: "POST",
    path: "/v1/scripts/check",
    access: "read",
    expensive: false,
    tag: "Scripts",
    quotes: null,
    summary: "Check a source against the Raw script contract; nothing is saved",
    params: null,
    query: null,
    body: "CheckScriptBody",
    reply: { status: 200, schema: "CheckScriptReply", description: "The breaches, if any." },
    faults: { 400: "source is missing or empty." },
    async handle({ body, actors }) {
      const { violations: breaches, library } = await actors.tasks.checkContract({ source: body.source });
      return { ok: breaches.length === 0, library, breaches };
    },
  }),
  route({
    id: "deleteScript",
    method: "DELETE",
    path: "/v1/scripts/{id}",
    access: "write",
    expensive: false,
    tag: "Scripts",
    quotes: null,
    summary: "Delete a script that was saved over the API; its runs stay",
    params: "IdParams",
    query: null,
    body: null,
    reply: { status: 204, schema: null, description: "It is gone." },
    faults: {
      400: "The id is not a uuid.",
      404: "No script has this id.",
      409: "The user wrote it in the application, or a schedule or a run in progress uses it.",
    },
    handle: ({ params, actors }) => actors.library.deleteScript({ scriptId: params.id }),
  }),
  route({
    id: "saveScript",
    method: "POST",
    path: "/v1/scripts",
    access: "write",
    expensive: false,
    tag: "Scripts",
    quotes: null,
    summary: "Save a Raw TypeScript script, or replace one that this API saved before",
    description:
      "The source is checked against the Raw script contract first; a breach is a 400 with one line each: `line N [rule] message`. The script stays unapproved until the user approves exactly this source in the application.",
    params: null,
    query: null,
    body: "SaveScriptBody",
    reply: { status: 200, schema: "SaveScriptReply", description: "The script as saved." },
    faults: {
      400: "A field is missing, the plan lacks the Flow feature, or the source breaks the contract.",
      404: "script_id names no script.",
      409: "script_id names a DSL script, or one the user wrote in the application; create a new script instead.",
    },
    async handle({ body, actors }) {
      const library = await checkedLibrary(actors.tasks, body.source);
      return actors.library.saveScript({
        name: body.name,
        source: body.source,
        description: body.description ?? "",
        library,
        scriptId: body.script_id ?? null,
      });
    },
  }),
  route({
    id: "runScript",
    method: "POST",
    path: "/v1/scripts/run",
    access: "write",
    expensive: true,
    tag: "Scripts",
    quotes: null,
    summary: "Start a script on given profiles in the background",
    description:
      "Each profile's browser opens and the script drives it; a browser that already runs is used and left running. Runs on the same profile take turns. An unapproved script runs on at most 3 profiles and without stored variables. Poll `GET /v1/runs/{id}`.",
    params: null,
    query: null,
    body: "RunScriptBody",
    idempotent: true,
    reply: { status: 200, schema: "Run", description: "The run, started." },
    faults: {
      400: "A field is missing, a variable is invalid, the plan lacks the Flow feature, or an unapproved script is run on more than 3 profiles.",
      404: "script_id names no script.",
      409: "A profile does not exist, the Idempotency-Key has started another request, or the script is not approved and this system does not isolate scripts enough (`troupe doctor`).",
    },
    names: ({ body }) => body.profile_ids,
    async handle({ body, actors, ...call }) {
      // More profiles than an unapproved script may have are 400, whatever the machine isolates.
      if (body.profile_ids.length <= limits.unapprovedProfilesMax)
        await refuseUnwalled(actors, body.script_id);
      return actors.runs.start({
        ...idempotency(call),
        scriptId: body.script_id,
        profileIds: body.profile_ids,
        variables: body.variables ?? {},
        headless: body.headless ?? false,
        batch: false,
        concurrency: 0,
        staggerMs: 0,
        source: call.source,
        scheduleId: null,
      });
    },
  }),
  route({
    id: "runBatch",
    method: "POST",
    path: "/v1/scripts/batch",
    access: "write",
    expensive: true,
    tag: "Scripts",
    quotes: null,
    summary: "Run an approved script on many profiles",
    description:
      "Answers at once; poll `GET /v1/runs/{id}`. With `dry_run` nothing starts: the reply is `{ready, refused}`, the profiles that would start and those that would not, with the reason.",
    params: null,
    query: null,
    body: "BatchBody",
    idempotent: true,
    reply: { status: 200, schema: "BatchReply", description: "The run, started." },
    faults: {
      400: "A field is missing or out of range, the script is not approved, or the plan lacks the Flow feature.",
      404: "script_id names no script.",
      409: "A profile does not exist, or the Idempotency-Key has started another request.",
    },
    names: ({ body }) => body.profile_ids,
    async handle({ body, actors, ...call }) {
      await checkConcurrency(actors, body.concurrency);
      const request = {
        scriptId: body.script_id,
        profileIds: body.profile_ids,
        variables: body.variables ?? {},
        headless: false,
        batch: true,
        concurrency: body.concurrency ?? 0,
        staggerMs: body.stagger_ms ?? 0,
        source: call.source,
        scheduleId: null,
        placement: body.placement ?? ("auto" as const),
      };
      if (body.dry_run === true) return actors.library.rehearseRun(request);
      return actors.runs.start({ ...idempotency(call), ...request });
    },
  }),
];

/** Each token has its own keys. */
function idempotency({ principal, idempotencyKey: key }: Pick<RunCall, "principal" | "idempotencyKey">) {
  return key === undefined ? {} : { idempotency: { tokenName: principal.tokenName, key } };
}
