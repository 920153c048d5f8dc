/** What all operations may use. */
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { OperationsConfig } from "../../protocol/messages/operations.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { ProfileTasks } from "../../protocol/messages/tasks.ts";

export interface OperationsContext {
  library: LibraryApi;
  pool: PoolApi;
  tasks: ProfileTasks;
  host: OperationsConfig["host"];
  chromiumPath: string;
}
