/** What the set-up tells its reader: one line a step on stderr, and a failure with its cause, last words and remedy. */

import { stripVTControlCharacters } from "node:util";

/** How many lines of a failed command are shown: a tool may name the cause first and its own usage after it. */
const linesShownMax = 20;

/** A step that could not be done. `tail` holds the last lines of the output of the command that failed. */
export class StepFailure extends Error {
  constructor(cause, { tail = [], remedy }) {
    super(cause);
    this.tail = tail;
    this.remedy = remedy;
  }
}

/** Without colours, and with nothing else that a terminal acts on (protocol/clean-text.ts does it for the service). */
function clean(line) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what it looks for.
  return stripVTControlCharacters(line).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "?");
}

/** Standard output belongs to the command that runs afterwards. */
export function say(line) {
  process.stderr.write(`[setup] ${clean(line)}\n`);
}

export function sayFailure(failure) {
  say(`failed: ${failure.message}`);
  const tail = failure.tail ?? [];
  const half = linesShownMax / 2;
  const shown = tail.length > linesShownMax ? [...tail.slice(0, half), "…", ...tail.slice(-half)] : tail;
  for (const line of shown) process.stderr.write(`        | ${clean(line)}\n`);
  if (failure.remedy) say(`remedy: ${failure.remedy}`);
  if (!(failure instanceof StepFailure) && failure.stack) process.stderr.write(`${failure.stack}\n`);
}

/** Runs a step and says what it does, and how long it took when it went well: an answer of `{ok: false}` did not. */
export async function timed(line, step) {
  const startMs = performance.now();
  say(`${line} …`);
  const answer = await step();
  if (answer?.ok !== false) say(`${line}: done in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  return answer;
}
