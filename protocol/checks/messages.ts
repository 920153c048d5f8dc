/** Templates for `typia generate`: the checks of the messages that each actor receives. */
import typia from "typia";
import type { VerbName } from "../generated/verb-table.ts";
import type { AppApi } from "../messages/app.ts";
import type { Checks } from "../messages/checks.ts";
import type { LibraryApi } from "../messages/library.ts";
import type { PoolApi } from "../messages/pool.ts";
import type { ProfileControlApi, ProfileNotice, ProfilePageApi } from "../messages/profile.ts";
import type { RunsApi } from "../messages/runs.ts";
import type { SchedulerApi } from "../messages/scheduler.ts";
import type { TasksApi } from "../messages/tasks.ts";

type In<Api, Method extends keyof Api> = Api[Method] extends (input: infer Input) => unknown ? Input : never;

export const appChecks = {
  status: typia.createAssert<In<AppApi, "status">>(),
  openLink: typia.createAssert<In<AppApi, "openLink">>(),
  showWindow: typia.createAssert<In<AppApi, "showWindow">>(),
  apiOn: typia.createAssert<In<AppApi, "apiOn">>(),
  apiOff: typia.createAssert<In<AppApi, "apiOff">>(),
  mintToken: typia.createAssert<In<AppApi, "mintToken">>(),
  listTokens: typia.createAssert<In<AppApi, "listTokens">>(),
  revokeToken: typia.createAssert<In<AppApi, "revokeToken">>(),
  listScripts: typia.createAssert<In<AppApi, "listScripts">>(),
  saveDslScript: typia.createAssert<In<AppApi, "saveDslScript">>(),
  readDslScript: typia.createAssert<In<AppApi, "readDslScript">>(),
  reviewScript: typia.createAssert<In<AppApi, "reviewScript">>(),
  checkScript: typia.createAssert<In<AppApi, "checkScript">>(),
  saveAppScript: typia.createAssert<In<AppApi, "saveAppScript">>(),
  approveScript: typia.createAssert<In<AppApi, "approveScript">>(),
  startBatch: typia.createAssert<In<AppApi, "startBatch">>(),
  createRotatingPool: typia.createAssert<In<AppApi, "createRotatingPool">>(),
  listProxies: typia.createAssert<In<AppApi, "listProxies">>(),
  testProxies: typia.createAssert<In<AppApi, "testProxies">>(),
  deleteProxyPool: typia.createAssert<In<AppApi, "deleteProxyPool">>(),
  deleteSchedule: typia.createAssert<In<AppApi, "deleteSchedule">>(),
  backup: typia.createAssert<In<AppApi, "backup">>(),
  readSettings: typia.createAssert<In<AppApi, "readSettings">>(),
  changeSettings: typia.createAssert<In<AppApi, "changeSettings">>(),
  profilesSince: typia.createAssert<In<AppApi, "profilesSince">>(),
  liveProfiles: typia.createAssert<In<AppApi, "liveProfiles">>(),
  traceProfile: typia.createAssert<In<AppApi, "traceProfile">>(),
  editProfiles: typia.createAssert<In<AppApi, "editProfiles">>(),
  trashProfiles: typia.createAssert<In<AppApi, "trashProfiles">>(),
  restoreProfiles: typia.createAssert<In<AppApi, "restoreProfiles">>(),
  deleteForGood: typia.createAssert<In<AppApi, "deleteForGood">>(),
  profileDetail: typia.createAssert<In<AppApi, "profileDetail">>(),
  exportCookies: typia.createAssert<In<AppApi, "exportCookies">>(),
  importCookies: typia.createAssert<In<AppApi, "importCookies">>(),
} satisfies Checks<AppApi>;

export const libraryChecks = {
  changes: typia.createAssert<In<LibraryApi, "changes">>(),
  listProfiles: typia.createAssert<In<LibraryApi, "listProfiles">>(),
  createProfiles: typia.createAssert<In<LibraryApi, "createProfiles">>(),
  takenDevices: typia.createAssert<In<LibraryApi, "takenDevices">>(),
  profileSpec: typia.createAssert<In<LibraryApi, "profileSpec">>(),
  profileUsed: typia.createAssert<In<LibraryApi, "profileUsed">>(),
  setVariables: typia.createAssert<In<LibraryApi, "setVariables">>(),
  profilesSince: typia.createAssert<In<LibraryApi, "profilesSince">>(),
  editProfiles: typia.createAssert<In<LibraryApi, "editProfiles">>(),
  trashProfiles: typia.createAssert<In<LibraryApi, "trashProfiles">>(),
  restoreProfiles: typia.createAssert<In<LibraryApi, "restoreProfiles">>(),
  deleteForGood: typia.createAssert<In<LibraryApi, "deleteForGood">>(),
  listScripts: typia.createAssert<In<LibraryApi, "listScripts">>(),
  readScript: typia.createAssert<In<LibraryApi, "readScript">>(),
  reviewScript: typia.createAssert<In<LibraryApi, "reviewScript">>(),
  saveScript: typia.createAssert<In<LibraryApi, "saveScript">>(),
  saveDslScript: typia.createAssert<In<LibraryApi, "saveDslScript">>(),
  readDslScript: typia.createAssert<In<LibraryApi, "readDslScript">>(),
  approveScript: typia.createAssert<In<LibraryApi, "approveScript">>(),
  createRun: typia.createAssert<In<LibraryApi, "createRun">>(),
  runProfileSpec: typia.createAssert<In<LibraryApi, "runProfileSpec">>(),
  beginRunProfile: typia.createAssert<In<LibraryApi, "beginRunProfile">>(),
  endRunProfile: typia.createAssert<In<LibraryApi, "endRunProfile">>(),
  cancelRun: typia.createAssert<In<LibraryApi, "cancelRun">>(),
  endRun: typia.createAssert<In<LibraryApi, "endRun">>(),
  resumeRuns: typia.createAssert<In<LibraryApi, "resumeRuns">>(),
  readRun: typia.createAssert<In<LibraryApi, "readRun">>(),
  listRuns: typia.createAssert<In<LibraryApi, "listRuns">>(),
  runProfiles: typia.createAssert<In<LibraryApi, "runProfiles">>(),
  listProxyPools: typia.createAssert<In<LibraryApi, "listProxyPools">>(),
  createProxyPool: typia.createAssert<In<LibraryApi, "createProxyPool">>(),
  createRotatingPool: typia.createAssert<In<LibraryApi, "createRotatingPool">>(),
  assignProxyPool: typia.createAssert<In<LibraryApi, "assignProxyPool">>(),
  listProxies: typia.createAssert<In<LibraryApi, "listProxies">>(),
  deleteProxyPool: typia.createAssert<In<LibraryApi, "deleteProxyPool">>(),
  proxiesToTest: typia.createAssert<In<LibraryApi, "proxiesToTest">>(),
  proxiesForNew: typia.createAssert<In<LibraryApi, "proxiesForNew">>(),
  proxiesTested: typia.createAssert<In<LibraryApi, "proxiesTested">>(),
  exitMeasured: typia.createAssert<In<LibraryApi, "exitMeasured">>(),
  profileProxy: typia.createAssert<In<LibraryApi, "profileProxy">>(),
  listSchedules: typia.createAssert<In<LibraryApi, "listSchedules">>(),
  readSchedule: typia.createAssert<In<LibraryApi, "readSchedule">>(),
  createSchedule: typia.createAssert<In<LibraryApi, "createSchedule">>(),
  setScheduleNextRun: typia.createAssert<In<LibraryApi, "setScheduleNextRun">>(),
  upcomingSchedules: typia.createAssert<In<LibraryApi, "upcomingSchedules">>(),
  schedulesNotIn: typia.createAssert<In<LibraryApi, "schedulesNotIn">>(),
  renewNextRuns: typia.createAssert<In<LibraryApi, "renewNextRuns">>(),
  fireSchedule: typia.createAssert<In<LibraryApi, "fireSchedule">>(),
  deleteSchedule: typia.createAssert<In<LibraryApi, "deleteSchedule">>(),
  mintToken: typia.createAssert<In<LibraryApi, "mintToken">>(),
  listTokens: typia.createAssert<In<LibraryApi, "listTokens">>(),
  revokeToken: typia.createAssert<In<LibraryApi, "revokeToken">>(),
  tokenKeys: typia.createAssert<In<LibraryApi, "tokenKeys">>(),
  tokensUsed: typia.createAssert<In<LibraryApi, "tokensUsed">>(),
  backup: typia.createAssert<In<LibraryApi, "backup">>(),
  readSettings: typia.createAssert<In<LibraryApi, "readSettings">>(),
  changeSettings: typia.createAssert<In<LibraryApi, "changeSettings">>(),
  listDatasets: typia.createAssert<In<LibraryApi, "listDatasets">>(),
  createDataset: typia.createAssert<In<LibraryApi, "createDataset">>(),
  appendRows: typia.createAssert<In<LibraryApi, "appendRows">>(),
  datasetRows: typia.createAssert<In<LibraryApi, "datasetRows">>(),
  assignDataset: typia.createAssert<In<LibraryApi, "assignDataset">>(),
  unassignDataset: typia.createAssert<In<LibraryApi, "unassignDataset">>(),
  resetDataset: typia.createAssert<In<LibraryApi, "resetDataset">>(),
  maintain: typia.createAssert<In<LibraryApi, "maintain">>(),
  close: typia.createAssert<In<LibraryApi, "close">>(),
} satisfies Checks<LibraryApi>;

export const poolChecks = {
  changes: typia.createAssert<In<PoolApi, "changes">>(),
  launch: typia.createAssert<In<PoolApi, "launch">>(),
  endWaitedLaunches: typia.createAssert<In<PoolApi, "endWaitedLaunches">>(),
  cancelWait: typia.createAssert<In<PoolApi, "cancelWait">>(),
  stop: typia.createAssert<In<PoolApi, "stop">>(),
  touch: typia.createAssert<In<PoolApi, "touch">>(),
  live: typia.createAssert<In<PoolApi, "live">>(),
  capacity: typia.createAssert<In<PoolApi, "capacity">>(),
  connect: typia.createAssert<In<PoolApi, "connect">>(),
  setMax: typia.createAssert<In<PoolApi, "setMax">>(),
  close: typia.createAssert<In<PoolApi, "close">>(),
  kill: typia.createAssert<In<PoolApi, "kill">>(),
} satisfies Checks<PoolApi>;

export const profileControlChecks = {
  launch: typia.createAssert<In<ProfileControlApi, "launch">>(),
  stop: typia.createAssert<In<ProfileControlApi, "stop">>(),
  touch: typia.createAssert<In<ProfileControlApi, "touch">>(),
  prepare: typia.createAssert<In<ProfileControlApi, "prepare">>(),
  connect: typia.createAssert<In<ProfileControlApi, "connect">>(),
} satisfies Checks<ProfileControlApi>;

/** Beside those of its verbs. */
export const profilePageChecks = {
  runScript: typia.createAssert<In<ProfilePageApi, "runScript">>(),
  abortScript: typia.createAssert<In<ProfilePageApi, "abortScript">>(),
  scriptLog: typia.createAssert<In<ProfilePageApi, "scriptLog">>(),
  readCookies: typia.createAssert<In<ProfilePageApi, "readCookies">>(),
  writeCookies: typia.createAssert<In<ProfilePageApi, "writeCookies">>(),
  frame: typia.createAssert<In<ProfilePageApi, "frame">>(),
  cdpTrace: typia.createAssert<In<ProfilePageApi, "cdpTrace">>(),
} satisfies Checks<Omit<ProfilePageApi, VerbName>>;

export const runsChecks = {
  start: typia.createAssert<In<RunsApi, "start">>(),
  startScheduled: typia.createAssert<In<RunsApi, "startScheduled">>(),
  cancel: typia.createAssert<In<RunsApi, "cancel">>(),
  working: typia.createAssert<In<RunsApi, "working">>(),
  ownPorts: typia.createAssert<In<RunsApi, "ownPorts">>(),
  close: typia.createAssert<In<RunsApi, "close">>(),
} satisfies Checks<RunsApi>;

export const schedulerChecks = {
  create: typia.createAssert<In<SchedulerApi, "create">>(),
  setEnabled: typia.createAssert<In<SchedulerApi, "setEnabled">>(),
  runNow: typia.createAssert<In<SchedulerApi, "runNow">>(),
  nextWake: typia.createAssert<In<SchedulerApi, "nextWake">>(),
  close: typia.createAssert<In<SchedulerApi, "close">>(),
} satisfies Checks<SchedulerApi>;

export const tasksChecks = {
  checkContract: typia.createAssert<In<TasksApi, "checkContract">>(),
  measureExits: typia.createAssert<In<TasksApi, "measureExits">>(),
  sampleDevices: typia.createAssert<In<TasksApi, "sampleDevices">>(),
  compileDsl: typia.createAssert<In<TasksApi, "compileDsl">>(),
  dslSchema: typia.createAssert<In<TasksApi, "dslSchema">>(),
  probeIsolation: typia.createAssert<In<TasksApi, "probeIsolation">>(),
} satisfies Checks<TasksApi>;

export const checkProfileNotice = typia.createAssert<ProfileNotice>();
