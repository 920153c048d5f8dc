/** Step 2: generates the tables of the page verbs, and typia's validators from templates: protocol/checks, verbs, messages. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { messageTemplates, removeMessageTemplates, writeMessageTemplates } from "./message-checks.mjs";
import { root } from "./paths.mjs";
import { StepFailure, timed } from "./say.mjs";
import { packageCommand, runQuiet } from "./shell.mjs";
import { filesUnder, hashOf, isStamped, stamp, unstamp } from "./stamp.mjs";
import { tables, template, writeVerbTables } from "./verb-tables.mjs";

const templates = () => [
  ...filesUnder("protocol/checks", (name) => name.endsWith(".ts")),
  template,
  ...messageTemplates(),
];
const outputs = () => [
  ...tables,
  ...templates().map((name) => name.replace("protocol/checks/", "protocol/generated/")),
];

const inputsHash = () =>
  hashOf([
    ...filesUnder("protocol", (name) => name.endsWith(".ts") && !name.startsWith("protocol/generated/")),
    "package-lock.json",
    "tsconfig.json",
    ".setup/generate.mjs",
    ".setup/message-checks.mjs",
    ".setup/verb-tables.mjs",
  ]);

function removeTemplates() {
  rmSync(join(root, template), { force: true });
  removeMessageTemplates();
}

export const isGenerated = () => isStamped("generate", inputsHash(), outputs());

export async function generate() {
  await timed("generating the validators (typia)", async () => {
    removeTemplates(); // Of an interrupted run.
    const hash = inputsHash();
    unstamp("generate");
    rmSync(join(root, "protocol/generated"), { recursive: true, force: true });
    writeVerbTables();
    await writeMessageTemplates();
    const places = [
      "--input",
      "protocol/checks",
      "--output",
      "protocol/generated",
      "--project",
      "tsconfig.json",
    ];
    const done = await runQuiet(process.execPath, [packageCommand("typia"), "generate", ...places]);
    removeTemplates();
    if (!done.ok) {
      throw new StepFailure(`typia generate ${done.why}`, {
        tail: done.tail,
        remedy: "fix the type that the message names in protocol/, then run the command again",
      });
    }
    stamp("generate", hash);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { runStep } = await import("./run-step.mjs");
  await runStep(generate);
}
