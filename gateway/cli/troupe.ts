#!/usr/bin/env node
/** `troupe`: the command line as a process. */
import { runTroupe } from "./grammar.ts";

// Continue when the reader of the output stops early, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const code = await runTroupe(process.argv.slice(2));
// Exit even if something is still open. With code 0 a service keeps running.
if (code !== 0) process.exit(code);
