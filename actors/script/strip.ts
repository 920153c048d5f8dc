/** Removes the types from a script (oxc-transform), with a source map to the user's lines. */
import type { SourceMapPayload } from "node:module";
import type { StrippedScript } from "./messages.ts";
import { scriptFile } from "./positions.ts";

/** Throws an Error that names the line when the source does not parse. Loads the native module at first use, to keep thread starts fast. */
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
  if (map === undefined) throw new Error("removing the types from the script gave no source map");
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
