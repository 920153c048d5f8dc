/** The JSON Schema of the DSL, made from its types; `typia generate` writes it out. */
import typia from "typia";
import type { DslDocument } from "../dsl/document.ts";

/** The schema of a document and of everything in it, by type name. */
export const dslSchemas = typia.json.schemas<[DslDocument], "3.1">();
