/** Templates for `typia generate`: checks of requests to the REST API, and the JSON Schemas of requests and replies. */
import typia from "typia";
import type { Cookie, CookiesReply } from "../cookies.ts";
import type {
  AppendRowsReply,
  AssignDatasetReply,
  CreateDatasetReply,
  Dataset,
  DatasetRowsReply,
  ResetDatasetReply,
  UnassignDatasetReply,
} from "../datasets.ts";
import type { Download } from "../downloads.ts";
import type { CompileDslReply, DslSchemaReply } from "../dsl/requests.ts";
import type { ServiceEvent } from "../events.ts";
import type { Extension } from "../extensions.ts";
import type { VerbSchemas, VerbShapes } from "../generated/verb-table.ts";
import type { HandoffReply } from "../handoff.ts";
import type { CapacityReply, Health } from "../health.ts";
import type { Checkpoint, ImportedProfile } from "../profile-copies.ts";
import type {
  AssignProxyPoolReply,
  CreateProxyPoolReply,
  ProfileProxyReply,
  ProxyPool,
  TestProxyPoolReply,
} from "../proxies.ts";
import type { Capacity, Profile, Run, Script, ScriptListing } from "../records.ts";
import type {
  ApiSettings,
  CheckScriptReply,
  CreateProfilesReply,
  ErrorBody,
  LaunchReply,
  RequestShapes,
  SaveScriptReply,
  SetVariablesReply,
  TabRecord,
  TrashedProfile,
} from "../requests.ts";
import type { BatchReply, RunFile, RunLogEvent, RunProfilesReply } from "../run-requests.ts";
import type { Schedule } from "../schedules.ts";
import type { StorageState, StorageStateReply } from "../storage-state.ts";
import type { CreateWebhookReply, Webhook } from "../webhooks.ts";

/** Those of page verbs are in a template of their own. Each throws at the first error; an unknown key is one (gateway/README.md, "Order of checks" 6). */
export const requestChecks = {
  IdParams: typia.createAssertEquals<RequestShapes["IdParams"]>(),
  DownloadParams: typia.createAssertEquals<RequestShapes["DownloadParams"]>(),
  ReadDownloadQuery: typia.createAssertEquals<RequestShapes["ReadDownloadQuery"]>(),
  TabParams: typia.createAssertEquals<RequestShapes["TabParams"]>(),
  OpenTabBody: typia.createAssertEquals<RequestShapes["OpenTabBody"]>(),
  CompileDslBody: typia.createAssertEquals<RequestShapes["CompileDslBody"]>(),
  CreateProfilesBody: typia.createAssertEquals<RequestShapes["CreateProfilesBody"]>(),
  LaunchBody: typia.createAssertEquals<RequestShapes["LaunchBody"]>(),
  SetVariablesBody: typia.createAssertEquals<RequestShapes["SetVariablesBody"]>(),
  SaveScriptBody: typia.createAssertEquals<RequestShapes["SaveScriptBody"]>(),
  RunScriptBody: typia.createAssertEquals<RequestShapes["RunScriptBody"]>(),
  BatchBody: typia.createAssertEquals<RequestShapes["BatchBody"]>(),
  ListProfilesQuery: typia.createAssertEquals<RequestShapes["ListProfilesQuery"]>(),
  PatchProfileBody: typia.createAssertEquals<RequestShapes["PatchProfileBody"]>(),
  DeleteProfileQuery: typia.createAssertEquals<RequestShapes["DeleteProfileQuery"]>(),
  PageQuery: typia.createAssertEquals<RequestShapes["PageQuery"]>(),
  ListTrashQuery: typia.createAssertEquals<RequestShapes["ListTrashQuery"]>(),
  RunProfileParams: typia.createAssertEquals<RequestShapes["RunProfileParams"]>(),
  RunFileParams: typia.createAssertEquals<RequestShapes["RunFileParams"]>(),
  RunOutputQuery: typia.createAssertEquals<RequestShapes["RunOutputQuery"]>(),
  RunLogQuery: typia.createAssertEquals<RequestShapes["RunLogQuery"]>(),
  RetryRunBody: typia.createAssertEquals<RequestShapes["RetryRunBody"]>(),
  CheckScriptBody: typia.createAssertEquals<RequestShapes["CheckScriptBody"]>(),
  PatchSettingsBody: typia.createAssertEquals<RequestShapes["PatchSettingsBody"]>(),
  CookiesQuery: typia.createAssertEquals<RequestShapes["CookiesQuery"]>(),
  DeleteCookiesQuery: typia.createAssertEquals<RequestShapes["DeleteCookiesQuery"]>(),
  CookiesBody: typia.createAssertEquals<RequestShapes["CookiesBody"]>(),
  DuplicateBody: typia.createAssertEquals<RequestShapes["DuplicateBody"]>(),
  CheckpointParams: typia.createAssertEquals<RequestShapes["CheckpointParams"]>(),
  CreateCheckpointBody: typia.createAssertEquals<RequestShapes["CreateCheckpointBody"]>(),
  ExportProfileQuery: typia.createAssertEquals<RequestShapes["ExportProfileQuery"]>(),
  ImportProfileBody: typia.createAssertEquals<RequestShapes["ImportProfileBody"]>(),
  EventsQuery: typia.createAssertEquals<RequestShapes["EventsQuery"]>(),
  HandoffBody: typia.createAssertEquals<RequestShapes["HandoffBody"]>(),
  StorageStateBody: typia.createAssertEquals<RequestShapes["StorageStateBody"]>(),
  CreateWebhookBody: typia.createAssertEquals<RequestShapes["CreateWebhookBody"]>(),
  ListRunsQuery: typia.createAssertEquals<RequestShapes["ListRunsQuery"]>(),
  RunProfilesQuery: typia.createAssertEquals<RequestShapes["RunProfilesQuery"]>(),
  CreateProxyPoolBody: typia.createAssertEquals<RequestShapes["CreateProxyPoolBody"]>(),
  AssignProxyPoolBody: typia.createAssertEquals<RequestShapes["AssignProxyPoolBody"]>(),
  PatchProxyPoolBody: typia.createAssertEquals<RequestShapes["PatchProxyPoolBody"]>(),
  PatchScheduleBody: typia.createAssertEquals<RequestShapes["PatchScheduleBody"]>(),
  CreateScheduleBody: typia.createAssertEquals<RequestShapes["CreateScheduleBody"]>(),
  ScheduleEnabledBody: typia.createAssertEquals<RequestShapes["ScheduleEnabledBody"]>(),
  CreateDatasetBody: typia.createAssertEquals<RequestShapes["CreateDatasetBody"]>(),
  AppendRowsBody: typia.createAssertEquals<RequestShapes["AppendRowsBody"]>(),
  DatasetRowsQuery: typia.createAssertEquals<RequestShapes["DatasetRowsQuery"]>(),
  AssignDatasetBody: typia.createAssertEquals<RequestShapes["AssignDatasetBody"]>(),
  UnassignDatasetBody: typia.createAssertEquals<RequestShapes["UnassignDatasetBody"]>(),
} satisfies {
  [Name in Exclude<keyof RequestShapes, keyof VerbShapes>]: (input: unknown) => RequestShapes[Name];
};

export const wireSchemas = typia.json.schemas<
  [
    RequestShapes,
    Profile[],
    Capacity,
    Run,
    ScriptListing[],
    Script,
    ErrorBody,
    Download,
    TabRecord,
    CreateProfilesReply,
    ...VerbSchemas,
    LaunchReply,
    SetVariablesReply,
    SaveScriptReply,
    TrashedProfile,
    Checkpoint,
    ImportedProfile,
    Cookie,
    CookiesReply,
    RunFile,
    CheckScriptReply,
    ApiSettings,
    RunProfilesReply,
    BatchReply,
    RunLogEvent,
    ServiceEvent,
    DslSchemaReply,
    CompileDslReply,
    ProxyPool[],
    CreateProxyPoolReply,
    AssignProxyPoolReply,
    TestProxyPoolReply,
    ProfileProxyReply,
    Schedule,
    Dataset[],
    CreateDatasetReply,
    AppendRowsReply,
    DatasetRowsReply,
    AssignDatasetReply,
    UnassignDatasetReply,
    ResetDatasetReply,
    Webhook,
    CreateWebhookReply,
    Health,
    CapacityReply,
    StorageState,
    StorageStateReply,
    HandoffReply,
    Extension,
  ],
  "3.1"
>();
