/** Output of the set-up: one line per step on stderr; failures with cause, last output and remedy. */

import { stripVTControlCharacters } from "node:util";

/** Enough for tools that print the cause first and their usage after it. */
const linesShownMax = 20;

export class StepFailure extends Error {
  constructor(cause, { tail = [], remedy }) {
    super(cause);
    this.tail = tail;
    this.remedy = remedy;
  }
}

function clean(line) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what it looks for.
  return stripVTControlCharacters(line).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "?");
}

/** Uses stderr, because stdout belongs to the command that follows. */
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

export async function timed(line, step) {
  const startMs = performance.now();
  say(`${line} …`);
  const answer = await step();
  if (answer?.ok !== false) say(`${line}: done in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  return answer;
}
