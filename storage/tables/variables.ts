/** Table of the profiles' variables: names in plain text, values sealed. */
import { blobOrNull, text } from "../row.ts";
import type { Reader, Writer } from "../sqlite.ts";

export interface SealedVariable {
  name: string;
  sealed: Uint8Array;
}

export function readVariables(sql: Reader, profileId: string): SealedVariable[] {
  return sql
    .all("SELECT name, sealed FROM variables WHERE profile_id = ? ORDER BY name", [profileId])
    .map((row) => ({
      name: text(row, "name"),
      sealed: blobOrNull(row, "sealed") ?? new Uint8Array(),
    }));
}

export function readVariableNames(sql: Reader): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const row of sql.all("SELECT profile_id, name FROM variables ORDER BY profile_id, name")) {
    const profileId = text(row, "profile_id");
    const known = names.get(profileId);
    if (known === undefined) names.set(profileId, [text(row, "name")]);
    else known.push(text(row, "name"));
  }
  return names;
}

export function replaceVariables(sql: Writer, profileId: string, variables: SealedVariable[]): void {
  sql.run("DELETE FROM variables WHERE profile_id = ?", [profileId]);
  for (const { name, sealed } of variables) {
    sql.run("INSERT INTO variables (profile_id, name, sealed) VALUES (?, ?, ?)", [profileId, name, sealed]);
  }
}
