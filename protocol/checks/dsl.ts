/** The JSON Schema of the DSL, generated from its types by `typia generate`. */
import typia from "typia";
import type { DslDocument } from "../dsl/document.ts";

export const dslSchemas = typia.json.schemas<[DslDocument], "3.1">();
