/** Scripts as text: their author and approval. */
import type { ScriptListing } from "../../../../protocol/records.ts";

export const authors: Record<ScriptListing["origin"], string> = {
  api: "API",
  app: "you",
};

export const kindOf = ({ mode }: Pick<ScriptListing, "mode">) => (mode === "dsl" ? "blocks" : "TypeScript");

export function Approval({ approved }: { approved: boolean }) {
  return <span class={`tag ${approved ? "good" : "warn"}`}>{approved ? "approved" : "not approved"}</span>;
}
