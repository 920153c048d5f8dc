/** The table of Idempotency-Keys: which run a key of a token has started, and by what request. */
import { text } from "../row.ts";
import type { Reader, Writer } from "../sqlite.ts";

export interface RunKey {
  /** Name of the token that the key came with: keys of two tokens do not meet. */
  token: string;
  key: string;
  /** SHA-256 of the request, hexadecimal: the same key with another request is a mistake. */
  requestSha256: string;
  runId: string;
}

/** What the key has started; null when it is new, or its run has been pruned. */
export function readRunKey(sql: Reader, token: string, key: string): RunKey | null {
  const row = sql.first("SELECT request_sha256, run_id FROM run_keys WHERE token = ? AND key = ?", [
    token,
    key,
  ]);
  if (row === undefined) return null;
  return { token, key, requestSha256: text(row, "request_sha256"), runId: text(row, "run_id") };
}

/** Remembers the key as long as its run is kept. */
export function insertRunKey(sql: Writer, { token, key, requestSha256, runId }: RunKey): void {
  sql.run("INSERT INTO run_keys (token, key, request_sha256, run_id) VALUES (?, ?, ?, ?)", [
    token,
    key,
    requestSha256,
    runId,
  ]);
}
