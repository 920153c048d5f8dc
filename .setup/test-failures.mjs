/** A reporter for node:test that writes only failures: the file, the test and the reason. `test.mjs` prints them last, after all stages. */
const linesMax = 24;
const ofNode = /^\s+at .*node:internal/;

export default async function* failures(events) {
  for await (const { type, data } of events) {
    if (type !== "test:fail") continue;
    const { error } = data.details;
    // A suite or a file that fails because a test in it failed.
    if (error.failureType === "subtestsFailed") continue;
    const reason =
      error.cause instanceof Error
        ? (error.cause.stack ?? error.cause.message)
        : String(error.cause ?? error.message);
    const lines = reason.split("\n").filter((line) => line !== "" && !ofNode.test(line));
    const shown =
      lines.length <= linesMax
        ? lines
        : [...lines.slice(0, linesMax / 2), "…", ...lines.slice(-linesMax / 2)];
    yield `${[`✖ ${data.name}`, ...shown.map((line) => `    ${line}`)].join("\n")}\n`;
  }
}
