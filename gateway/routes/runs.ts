/** The routes of runs. */
import { basename } from "node:path";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import { refuseUnwalled } from "../isolation-min.ts";
import { EventReply, FileBody, route, TextStream } from "../route.ts";
import { badPage, pageOf } from "./list-page.ts";
import { asLines, collected, filesOfPart, outputCsv, outputLines } from "./run-parts.ts";

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
    faults: {
      400: "The id is not a uuid, offset or limit is out of range, or status is unknown.",
      404: "No run has this id.",
    },
    handle: ({ params, query, actors }) =>
      actors.library.runProfiles({
        runId: params.id,
        offset: query.offset ?? 0,
        limit: query.limit ?? runProfilesDefault,
        ...(query.status === undefined ? {} : { status: query.status }),
      }),
  }),
  route({
    id: "readRunOutput",
    method: "GET",
    path: "/v1/runs/{id}/output",
    access: "read",
    expensive: false,
    tag: "Runs",
    quotes: "script",
    summary: "The rows that the run's scripts passed to output, of all profiles",
    description:
      "`profile` is the profile's id; a script's own column of this name is `output.profile`. CSV has the columns of all rows; text that a spreadsheet would run as a formula begins with `'`.",
    params: "IdParams",
    query: "RunOutputQuery",
    body: null,
    reply: {
      status: 200,
      schema: null,
      mediaTypes: ["application/jsonl", "text/csv"],
      description: "The rows so far, in the order of the run's profiles.",
    },
    faults: { 400: "The id is not a uuid, or format is unknown.", 404: "No run has this id." },
    async handle({ params, query, actors }) {
      const { id } = await actors.library.readRun({ runId: params.id });
      return query.format === "csv"
        ? new TextStream("text/csv", `run-${id}.csv`, outputCsv(actors, id))
        : new TextStream("application/jsonl", `run-${id}.jsonl`, outputLines(actors, id));
    },
  }),
  route({
    id: "readRunLog",
    method: "GET",
    path: "/v1/runs/{id}/log",
    access: "read",
    expensive: false,
    tag: "Runs",
    quotes: "script",
    summary: "What the run's scripts have logged: the last 200 lines of each profile",
    description:
      "A JSON line for each, `{profile_id, line}`. With `follow` as server-sent events: `log` with `{profile_id, lines, count}`, where `count` is the number of the profile's lines so far, first of ended profiles, then as they come; at the end `ended`.",
    params: "IdParams",
    query: "RunLogQuery",
    body: null,
    reply: {
      status: 200,
      schema: null,
      mediaTypes: ["application/jsonl", "text/event-stream"],
      events: "RunLogEvent",
      description: "The lines.",
    },
    faults: { 400: "The id is not a uuid.", 404: "No run has this id." },
    async handle({ params, query, actors: { library, logs } }) {
      const { id } = await library.readRun({ runId: params.id });
      if (query.follow !== true)
        return new TextStream("application/jsonl", `run-${id}-log.jsonl`, asLines(logs.soFar(id)));
      return new EventReply(
        (response) => logs.send(id, response, true),
        () => collected(logs.soFar(id)),
      );
    },
  }),
  route({
    id: "listRunFiles",
    method: "GET",
    path: "/v1/runs/{id}/profiles/{profile_id}/files",
    access: "read",
    expensive: false,
    tag: "Runs",
    quotes: "script",
    summary: "The files that the script kept with one profile of a run",
    params: "RunProfileParams",
    query: "PageQuery",
    body: null,
    reply: { status: 200, schema: "RunFile", array: true, description: "Those that are still there." },
    faults: {
      400: `An id is not a uuid. Or ${badPage}`,
      404: "No run has this id, or it has no such profile.",
    },
    async handle({ params, query, actors }) {
      const all = await filesOfPart(actors, params.id, params.profile_id);
      return pageOf(all, query, ({ name }) => name).map(({ name, bytes }) => ({ name, bytes }));
    },
  }),
  route({
    id: "readRunFile",
    method: "GET",
    path: "/v1/runs/{id}/profiles/{profile_id}/files/{name}",
    access: "read",
    expensive: false,
    tag: "Runs",
    quotes: "script",
    summary: "A file that the script kept with one profile of a run",
    params: "RunFileParams",
    query: null,
    body: null,
    reply: {
      status: 200,
      schema: null,
      mediaTypes: ["application/octet-stream"],
      description: "The file's bytes.",
    },
    faults: { 400: "An id is not a uuid.", 404: "No run has this id, or it has no such profile or file." },
    async handle({ params, actors }) {
      const files = await filesOfPart(actors, params.id, params.profile_id);
      const file = files.find(({ name }) => name === params.name);
      if (file === undefined)
        throw new Fault("not-found", `run ${params.id} has no file ${params.name} of this profile`);
      return new FileBody(file.path, basename(file.name));
    },
  }),
  route({
    id: "retryRun",
    method: "POST",
    path: "/v1/runs/{id}/retry",
    access: "write",
    expensive: true,
    tag: "Runs",
    quotes: null,
    summary: "Run the script again on the profiles that did not complete",
    description:
      "A new run with the same variables, concurrency and window; a consume dataset gives it fresh rows. The script runs as it is now.",
    params: "IdParams",
    query: null,
    body: "RetryRunBody",
    bodyOptional: true,
    bodyExamples: { failed: { summary: "Only what failed", value: { only: "failed" } } },
    reply: { status: 200, schema: "Run", description: "The new run, started." },
    faults: {
      400: "The id is not a uuid, only is unknown, or an unapproved script is run on more than 3 profiles.",
      404: "No run has this id, or its script is gone.",
      409: "The run is in progress or has no such profile, or a profile does not exist.",
    },
    async handle({ params, body, actors, source }) {
      const request = await actors.library.retryRequest({ runId: params.id, only: body.only ?? null });
      if (request.profileIds.length <= limits.unapprovedProfilesMax)
        await refuseUnwalled(actors, request.scriptId);
      return actors.runs.start({ ...request, source });
    },
  }),
  route({
    id: "deleteRun",
    method: "DELETE",
    path: "/v1/runs/{id}",
    access: "write",
    expensive: false,
    tag: "Runs",
    quotes: null,
    summary: "Delete an ended run with its results and files",
    params: "IdParams",
    query: null,
    body: null,
    reply: { status: 204, schema: null, description: "It is gone." },
    faults: { 400: "The id is not a uuid.", 404: "No run has this id.", 409: "The run is in progress." },
    handle: ({ params, actors }) => actors.library.deleteRun({ runId: params.id }),
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
