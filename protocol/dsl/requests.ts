/** Requests and replies about DSL scripts (protocol/README.md, "DSL"). */
import type { Count, ScriptLibrary, Text } from "../scalars.ts";

export interface DslSchemaReply {
  /** The newest version of the DSL that this service reads and writes. */
  dslVersion: Text;
  /** JSON Schema, draft 2020-12, with descriptions and examples. */
  schema: Record<string, unknown>;
}

export interface CompileDslBody {
  /** A document of the DSL, or a recording exported from the DevTools Recorder. */
  dsl: Record<string, unknown>;
  /** The library that the code uses. */
  target: ScriptLibrary;
}

export interface CompileDslReply {
  /** TypeScript of one module that meets the Raw script contract. */
  code: string;
  /** Every block but comments, including nested ones, disabled ones and those in subflows. */
  nodeCount: Count;
  target: ScriptLibrary;
  /** One line each, such as `node n7 [fixed-wait] …`. */
  warnings: string[];
}

export interface DslShapes {
  CompileDslBody: CompileDslBody;
}
