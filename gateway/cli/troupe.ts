#!/usr/bin/env node
/** `troupe`: the command line, as a process. */
import { runTroupe } from "./grammar.ts";

// Who reads the output may have seen enough, as `head` has: the work goes on to its end all the same.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const code = await runTroupe(process.argv.slice(2));
// A service goes on after its command; whatever has failed ends here, also with something still open.
if (code !== 0) process.exit(code);
