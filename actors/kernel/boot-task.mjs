/** Starts a task thread from TypeScript source: registers tsx, then hands on the task's default export. */
import { register } from "tsx/esm/api";

register();
export default (await import("../tasks/task.ts")).default;
