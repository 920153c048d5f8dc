#!/usr/bin/env node
/** `troupe`: the command line, as a process. */
import { runTroupe } from "./grammar.ts";

const code = await runTroupe(process.argv.slice(2));
// A service goes on after its command; whatever has failed ends here, also with something still open.
if (code !== 0) process.exit(code);
