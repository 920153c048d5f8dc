#!/usr/bin/env node
/** `troupe`: the command line as a process. */
import { runTroupe } from "./grammar.ts";
import { complain, exitCodes, readerGone } from "./output.ts";

// A run or a service goes on without a reader of the output; a command that follows events ends.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return readerGone.abort();
  complain(`the output could not be written: ${error.message}`);
  process.exit(exitCodes.failed);
});

// A log without a reader must not end the service and its browsers; its lines are in the log file.
process.stderr.on("error", () => {});

const code = await runTroupe(process.argv.slice(2));
// Exit even if something is still open. With code 0 a service keeps running.
if (code !== 0) process.exit(code);
