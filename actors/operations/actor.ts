/** The thread that carries out what needs several actors: operations on profiles that need not run, and on proxies. */
import { operationsChecks } from "../../protocol/generated/messages/operations.ts";
import { type LibraryApi, libraryDeadlines } from "../../protocol/messages/library.ts";
import type { OperationsApi, OperationsConfig } from "../../protocol/messages/operations.ts";
import { type PoolApi, poolDeadlines } from "../../protocol/messages/pool.ts";
import { type ProfileTasks, waitingTasks } from "../../protocol/messages/tasks.ts";
import { inBackground } from "../kernel/background.ts";
import { type ActorContext, hostActor } from "../kernel/host.ts";
import { insist } from "../kernel/insist.ts";
import { startTaskPool } from "../kernel/task-pool.ts";
import { createOperations } from "./operations.ts";
import { stopTrashed } from "./trash-profiles.ts";
import { createWebhooks } from "./webhooks.ts";

export async function startOperations(
  { config, log, clock, peer }: ActorContext<OperationsConfig>,
  tasks = startTaskPool<ProfileTasks>(waitingTasks).api,
): Promise<OperationsApi> {
  const library = peer<LibraryApi>("library", libraryDeadlines);
  const pool = peer<PoolApi>("pool", poolDeadlines);
  const context = { ...config, library, pool, tasks, log, clock };
  const what = "stopping profiles in the trash";
  const stopping = () => insist({ log, clock }, what, () => stopTrashed(context));
  if (config.restarted) inBackground(log, what, stopping());
  const webhooks = createWebhooks(context);
  inBackground(log, "reading the webhooks", webhooks.begin());
  return createOperations(context, webhooks);
}

hostActor<OperationsConfig, OperationsApi>("operations", operationsChecks, startOperations);
