/** The routes of runs. */
import { limits } from "../../protocol/limits.ts";
import { route } from "../route.ts";

const runProfilesDefault = 100;

export const runRoutes = [
  route({
    id: "listRuns",
    method: "GET",
    path: "/v1/runs",
    access: "read",
    expensive: false,
    tag: "Runs",
    quotes: null,
    summary: "Recent runs, newest first",
    params: null,
    query: "ListRunsQuery",
    body: null,
    reply: { status: 200, schema: "Run", array: true, description: "The runs." },
    faults: { 400: "schedule_id is not a uuid, or limit is out of range." },
    handle: ({ query, actors }) =>
      actors.library.listRuns({
        scheduleId: query.schedule_id ?? null,
        limit: query.limit ?? limits.runsListDefault,
      }),
  }),
  route({
    id: "readRun",
    method: "GET",
    path: "/v1/runs/{id}",
    access: "read",
    expensive: false,
    tag: "Runs",
    quotes: null,
    summary: "Read a run by its id",
    params: "IdParams",
    query: null,
    body: null,
    reply: { status: 200, schema: "Run", description: "The run." },
    faults: { 400: "The id is not a uuid.", 404: "No run has this id." },
    handle: ({ params, actors }) => actors.library.readRun({ runId: params.id }),
  }),
  route({
    id: "readRunProfiles",
    method: "GET",
    path: "/v1/runs/{id}/profiles",
    access: "read",
    expensive: false,
    tag: "Runs",
    quotes: "script",
    summary: "Result of each profile of a run",
    description: "Status, error, result, output rows, log tail and files, a page at a time.",
    params: "IdParams",
    query: "RunProfilesQuery",
    body: null,
    reply: { status: 200, schema: "RunProfilesReply", description: "The run and a page of its profiles." },
    faults: { 400: "The id is not a uuid, or offset or limit is out of range.", 404: "No run has this id." },
    handle: ({ params, query, actors }) =>
      actors.library.runProfiles({
        runId: params.id,
        offset: query.offset ?? 0,
        limit: query.limit ?? runProfilesDefault,
      }),
  }),
  route({
    id: "cancelRun",
    method: "POST",
    path: "/v1/runs/{id}/cancel",
    access: "write",
    expensive: false,
    tag: "Runs",
    quotes: null,
    summary: "End a run early",
    description:
      "Profiles that have not started are skipped; the `signal` of a script in progress aborts, and the script is ended two seconds later; its browser is stopped if the run opened it. Results so far are kept. Answers at once: poll `GET /v1/runs/{id}` for the final status, which is `partial` if a profile completed, `failed` if one began, otherwise `skipped`. A run that has ended is returned unchanged.",
    params: "IdParams",
    query: null,
    body: null,
    reply: { status: 200, schema: "Run", description: "The run. No more of its profiles start." },
    faults: { 400: "The id is not a uuid.", 404: "No run has this id." },
    handle: ({ params, actors }) => actors.runs.cancel({ runId: params.id }),
  }),
];
