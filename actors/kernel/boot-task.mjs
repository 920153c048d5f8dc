/** Starts a task thread from TypeScript source: registers tsx, then exports the task's default export. */
import { register } from "tsx/esm/api";

register();
export default (await import("../tasks/task.ts")).default;
