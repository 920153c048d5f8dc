/** Takes the types off a script (oxc-transform), keeping a map to the user's own lines. */
import type { SourceMapPayload } from "node:module";
import type { StrippedScript } from "./messages.ts";
import { scriptFile } from "./positions.ts";

/**
 * JavaScript of a TypeScript module. Throws an Error that names the line when it does not parse.
 * The native module is loaded at first use: a profile thread must not pay for it at its start.
 */
export async function stripTypes(source: string): Promise<StrippedScript> {
  const { transformSync } = await import("oxc-transform");
  const { code, map, errors } = transformSync(scriptFile, source, {
    lang: "ts",
    sourceType: "module",
    sourcemap: true,
  });
  const error = errors[0];
  if (error !== undefined) {
    const at = error.labels[0]?.start ?? 0;
    throw new Error(`${error.message} (${scriptFile}:${source.slice(0, at).split("\n").length})`);
  }
  if (map === undefined) throw new Error("the script was stripped without a map of its lines");
  const payload: SourceMapPayload = {
    file: scriptFile,
    version: map.version,
    sources: map.sources,
    sourcesContent: [],
    names: map.names,
    mappings: map.mappings,
    sourceRoot: "",
  };
  return { code, map: payload };
}
