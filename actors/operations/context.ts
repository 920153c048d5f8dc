/** What all operations may use. */

import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { OperationsConfig } from "../../protocol/messages/operations.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { ProfileTasks } from "../../protocol/messages/tasks.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

export interface OperationsContext {
  library: LibraryApi;
  pool: PoolApi;
  tasks: ProfileTasks;
  host: OperationsConfig["host"];
  chromiumPath: string;
  /** The service's own ports at its start. */
  ownPorts: readonly number[];
  log: Log;
  clock: Clock;
}
