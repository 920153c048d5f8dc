/** The routes of datasets: list, create, rows, assign, unassign, reset. */
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import { JsonBytes, route, TextStream } from "../route.ts";
import { datasetCsv } from "./dataset-csv.ts";

const badId = "The id is not a uuid.";
const noDataset = "No dataset has this id.";
const profileIds = ["5d0f6a52-8a38-4e0e-8a57-5a2f1b0c9d21", "9c6d2f0e-7f3a-4f43-9e7f-0b0c53d5a6d1"];

const listDescription = `A dataset is a table of text for profiles and runs.

| mode | who gets rows | states of a row | reaches a script as |
|---|---|---|---|
| \`fixed\` | each profile it is assigned to keeps one row (its Identity slot) | unassigned → assigned → unassigned | \`row\` |
| \`consume\` | each profile's part of a run takes \`rowsPerRun\` rows (the profile's Content slot) | available → reserved → used, or back to available when the part did not complete | \`rows\` |

A profile has at most one dataset of each mode; \`GET /v1/profiles\` shows their names as \`identityDataset\` and \`contentDataset\`. Rows are given out by number, lowest first. Values of secret columns are sealed on disk, never returned, and given only to approved scripts.`;

const makingRoutes = [
  route({
    id: "listDatasets",
    method: "GET",
    path: "/v1/datasets",
    access: "read",
    expensive: false,
    tag: "Datasets",
    quotes: null,
    summary: "List datasets with their columns and row counts by state",
    description: listDescription,
    params: null,
    query: null,
    body: null,
    reply: { status: 200, schema: "Dataset", array: true, description: "All datasets, oldest first." },
    faults: {},
    handle: ({ actors }) => actors.library.listDatasets({}),
  }),
  route({
    id: "createDataset",
    method: "POST",
    path: "/v1/datasets",
    access: "write",
    expensive: false,
    tag: "Datasets",
    quotes: null,
    summary: "Create a dataset, with its first rows if there are any",
    description:
      "Each row is an object that has every column and no other key; every value is a string. Bad rows are reported in `badRows` by their number in the request, from 1, and the good ones are kept; if all are bad, nothing is created. Add more with `POST /v1/datasets/{id}/rows`.",
    params: null,
    query: null,
    body: "CreateDatasetBody",
    bodyExamples: {
      fixed: {
        summary: "Accounts: one for each profile, the password sealed",
        value: {
          name: "Accounts",
          mode: "fixed",
          columns: [{ name: "email" }, { name: "password", secret: true }],
          rows: [
            { email: "ada@example.com", password: "correct horse" },
            { email: "alan@example.com", password: "battery staple" },
          ],
        },
      },
      consume: {
        summary: "Posts: three for each profile and run, none used twice",
        value: {
          name: "Posts",
          mode: "consume",
          columns: [{ name: "title" }, { name: "date" }],
          rows: [{ title: "Hello", date: "2026-11-21" }],
          rows_per_run: 3,
        },
      },
    },
    reply: {
      status: 200,
      schema: "CreateDatasetReply",
      description: "The dataset, and the bad rows.",
    },
    faults: {
      400: "A field is missing or out of range, two columns have one name, rows_per_run is given with mode fixed, or all rows are bad.",
    },
    handle: ({ body, actors }) =>
      actors.library.createDataset({
        name: body.name,
        mode: body.mode,
        columns: body.columns,
        rows: jsonBytes(body.rows ?? []),
        rowsPerRun: body.rows_per_run ?? null,
      }),
  }),
];

const rowRoutes = [
  route({
    id: "listDatasetRows",
    method: "GET",
    path: "/v1/datasets/{id}/rows",
    access: "read",
    expensive: false,
    tag: "Datasets",
    quotes: "dataset",
    summary: "A page of the dataset's rows, each with its state",
    description:
      "In the order they were added; `row` is a row's permanent number, and the page begins with row `offset` + 1. Secret columns are left out of `values`.",
    params: "IdParams",
    query: "DatasetRowsQuery",
    body: null,
    reply: { status: 200, schema: "DatasetRowsReply", description: "The page." },
    faults: { 400: "The id is not a uuid, or offset or limit is out of range.", 404: noDataset },
    async handle({ params, query, actors }) {
      const { offset = 0, limit = limits.datasetSliceDefault } = query;
      return new JsonBytes((await actors.library.datasetRows({ datasetId: params.id, offset, limit })).json);
    },
  }),
  route({
    id: "appendDatasetRows",
    method: "POST",
    path: "/v1/datasets/{id}/rows",
    access: "write",
    expensive: false,
    tag: "Datasets",
    quotes: null,
    summary: "Append rows",
    description:
      "Up to 100,000 rows and 16 MiB a call; 5,000 rows a call is a good size for many. Bad rows are reported in `badRows` by their number in the request, from 1, and the good ones are kept.",
    params: "IdParams",
    query: null,
    body: "AppendRowsBody",
    bodyExamples: {
      rows: {
        summary: "Two more accounts",
        value: {
          rows: [
            { email: "grace@example.com", password: "nanosecond" },
            { email: "edsger@example.com", password: "shortest path" },
          ],
        },
      },
    },
    reply: {
      status: 200,
      schema: "AppendRowsReply",
      description: "How many rows were added, the bad rows, and the current dataset.",
    },
    faults: { 400: "The id is not a uuid, rows is missing or empty, or all rows are bad.", 404: noDataset },
    handle: ({ params, body, actors }) =>
      actors.library.appendRows({ datasetId: params.id, rows: jsonBytes(body.rows) }),
  }),
];

const slotRoutes = [
  route({
    id: "assignDataset",
    method: "POST",
    path: "/v1/datasets/{id}/assign",
    access: "write",
    expensive: false,
    tag: "Datasets",
    quotes: null,
    summary: "Assign the dataset to profiles, all of them or none",
    description:
      "A fixed dataset fills the Identity slot and gives each profile one unassigned row; a consume dataset fills the Content slot. An occupied slot refuses the whole call unless `force`, which replaces the dataset in it: the old fixed row becomes unassigned. With `force`, a profile that already has this dataset keeps its row.",
    params: "IdParams",
    query: null,
    body: "AssignDatasetBody",
    bodyExamples: { two: { summary: "Two profiles", value: { profile_ids: profileIds, force: false } } },
    reply: {
      status: 200,
      schema: "AssignDatasetReply",
      description: "Each profile with the number of its row, and the current dataset.",
    },
    faults: {
      400: "The id is not a uuid, or profile_ids is missing or empty.",
      404: noDataset,
      409: "A profile does not exist, its slot is occupied, or there are too few unassigned rows. Nothing was assigned.",
    },
    names: ({ body }) => body.profile_ids,
    handle: ({ params, body, actors }) =>
      actors.library.assignDataset({
        datasetId: params.id,
        profileIds: body.profile_ids,
        force: body.force ?? false,
      }),
  }),
  route({
    id: "unassignDataset",
    method: "POST",
    path: "/v1/datasets/{id}/unassign",
    access: "write",
    expensive: false,
    tag: "Datasets",
    quotes: null,
    summary: "Remove the dataset from profiles; their fixed rows become unassigned",
    description:
      "Profiles without it are skipped. Rows that a run in progress has reserved stay with it until it ends.",
    params: "IdParams",
    query: null,
    body: "UnassignDatasetBody",
    bodyExamples: { one: { summary: "One profile", value: { profile_ids: profileIds.slice(0, 1) } } },
    reply: {
      status: 200,
      schema: "UnassignDatasetReply",
      description: "The profiles that had it, and the current dataset.",
    },
    faults: {
      400: "The id is not a uuid, or profile_ids is missing or empty.",
      404: noDataset,
      409: "A profile does not exist.",
    },
    names: ({ body }) => body.profile_ids,
    handle: ({ params, body, actors }) =>
      actors.library.unassignDataset({ datasetId: params.id, profileIds: body.profile_ids }),
  }),
  route({
    id: "resetDataset",
    method: "POST",
    path: "/v1/datasets/{id}/reset",
    access: "write",
    expensive: false,
    tag: "Datasets",
    quotes: null,
    summary: "Return every used row of a consume dataset to available",
    description: "Reserved rows stay with their runs.",
    params: "IdParams",
    query: null,
    body: null,
    reply: {
      status: 200,
      schema: "ResetDatasetReply",
      description: "How many rows became available, and the current dataset.",
    },
    faults: { 400: `${badId} Or the dataset is a fixed one.`, 404: noDataset },
    handle: ({ params, actors }) => actors.library.resetDataset({ datasetId: params.id }),
  }),
];

const wholeRoutes = [
  route({
    id: "exportDataset",
    method: "GET",
    path: "/v1/datasets/{id}/export",
    access: "read",
    expensive: false,
    tag: "Datasets",
    quotes: "dataset",
    summary: "All rows as CSV, without secret columns",
    description: "In the order they were added, as they stand; their states are left out.",
    params: "IdParams",
    query: null,
    body: null,
    reply: {
      status: 200,
      schema: null,
      mediaTypes: ["text/csv"],
      description: "A header line and the rows.",
    },
    faults: { 400: badId, 404: noDataset },
    async handle({ params, actors }) {
      const dataset = (await actors.library.listDatasets({})).find(
        ({ id }) => id === params.id.toLowerCase(),
      );
      if (dataset === undefined) throw new Fault("not-found", `dataset ${params.id} does not exist`);
      return new TextStream("text/csv", `${dataset.name}.csv`, datasetCsv(actors, dataset));
    },
  }),
  route({
    id: "deleteDataset",
    method: "DELETE",
    path: "/v1/datasets/{id}",
    access: "write",
    expensive: false,
    tag: "Datasets",
    quotes: null,
    summary: "Delete a dataset with its rows",
    params: "IdParams",
    query: null,
    body: null,
    reply: { status: 204, schema: null, description: "It is gone." },
    faults: { 400: badId, 404: noDataset, 409: "A profile has it, or a run in progress has reserved rows." },
    handle: ({ params, actors }) => actors.library.deleteDataset({ datasetId: params.id }),
  }),
];

export const datasetRoutes = [...makingRoutes, ...rowRoutes, ...slotRoutes, ...wholeRoutes];

/** A buffer of its own, because it is transferred to the library's thread. */
function jsonBytes(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
