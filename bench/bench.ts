/** `npm run bench -- SUITE`: runs one suite, or every one, and writes its samples beside a table. */
import { runLaunchSuite } from "./launch-suite.ts";

const suites: Record<string, () => Promise<void>> = {
  launch: runLaunchSuite,
};
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in suites));
if (unknown.length > 0) {
  process.stderr.write(
    `no suite is called ${unknown.join(", ")}; there is: ${Object.keys(suites).join(", ")}\n`,
  );
  process.exit(2);
}
for (const [name, run] of Object.entries(suites)) {
  if (asked.length === 0 || asked.includes(name)) await run();
}
