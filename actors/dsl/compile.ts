/** The DSL compiler: document or recording in, TypeScript out. Pure and deterministic. */
import { dslVersion } from "../../protocol/dsl/document.ts";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { CompiledDsl } from "../../protocol/messages/tasks.ts";
import type { ScriptLibrary } from "../../protocol/scalars.ts";
import { checkMeaning } from "./check-meaning.ts";
import { checkShape, type Problem, shown } from "./check-shape.ts";
import { emitModule } from "./emit/module.ts";
import { convertRecording, isRecording } from "./recording/convert.ts";
import { warningsOf } from "./warnings.ts";

/** Compiles a DSL document or a DevTools recording. Throws `invalid` with one line per problem: JSON Pointer, block, message. */
export function compileDsl(given: unknown, target: ScriptLibrary): CompiledDsl {
  const imported: string[] = [];
  const converted = isRecording(given) ? convertRecording(given, imported) : null;
  const value = converted ?? given;
  const newer = isNewer(value);
  checkSize(value);
  const shaped = checkShape(value, newer !== null);
  if ("problems" in shaped) throw invalid(shaped.problems);
  const facts = checkMeaning(shaped.document, shaped.marks);
  if ("problems" in facts) throw invalid(facts.problems);
  const code = emitModule(facts, target);
  const bytes = new TextEncoder().encode(code).length;
  if (bytes > limits.scriptSourceBytesMax)
    throw new Fault(
      "invalid",
      `the compiled code has ${bytes} bytes, more than the ${limits.scriptSourceBytesMax} of a script; move text into inputs or the dataset`,
    );
  const unknown = newer === null ? [] : [newerWarning(newer, shaped.unknownKeys)];
  return {
    code,
    nodeCount: facts.blocks.filter(({ block }) => block.kind !== "comment").length,
    target,
    warnings: [...unknown, ...imported, ...warningsOf(facts, target)],
    name: shaped.document.name ?? null,
    converted,
  };
}

function checkSize(value: unknown): void {
  const bytes = new TextEncoder().encode(JSON.stringify(value) ?? "").length;
  if (bytes > limits.dslDocumentBytesMax)
    throw new Fault("invalid", `the document has ${bytes} bytes, at most ${limits.dslDocumentBytesMax}`);
}

function isNewer(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("dslVersion" in value)) return null;
  const { dslVersion: version } = value;
  return typeof version === "string" && /^1\.[0-9]{1,3}$/.test(version) && version !== dslVersion
    ? version
    : null;
}

function newerWarning(version: string, unknownKeys: string[]): string {
  const ignored = unknownKeys.length === 0 ? "" : `; ignored: ${unknownKeys.slice(0, 10).join(", ")}`;
  return `document [newer-minor] its version is ${shown(version)}, this compiler supports ${dslVersion}${ignored}`;
}

function invalid(problems: readonly Problem[]): Fault {
  const lines = problems.map(({ pointer, node, message }) => {
    const place = pointer === "" ? "the document" : pointer;
    return `${place}: ${node === null ? "" : `node "${node.id}" (${node.kind}): `}${message}`;
  });
  return new Fault("invalid", lines.join("\n"));
}
