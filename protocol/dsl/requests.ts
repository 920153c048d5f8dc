/** What callers send about DSL scripts, and what they get (protocol/README.md, "DSL"). */
import type { Count, ScriptLibrary, Text } from "../scalars.ts";

/** `GET /v1/dsl/schema`. */
export interface DslSchemaReply {
  /** The newest version of the DSL that this service reads and writes. */
  dslVersion: Text;
  /** JSON Schema, draft 2020-12, with descriptions and examples. */
  schema: Record<string, unknown>;
}

/** `POST /v1/dsl/compile`. */
export interface CompileDslBody {
  /** A document of the DSL, or a recording as the DevTools Recorder exports it. */
  dsl: Record<string, unknown>;
  /** The library that the code drives the page with. */
  target: ScriptLibrary;
}

export interface CompileDslReply {
  /** TypeScript of one module that keeps the Raw script contract. */
  code: string;
  /** Every block but comments: nested, disabled and subflow ones too. */
  nodeCount: Count;
  target: ScriptLibrary;
  /** One line each, as in `node n7 [fixed-wait] …`. */
  warnings: string[];
}

/** The request shapes of this area. */
export interface DslShapes {
  CompileDslBody: CompileDslBody;
}
