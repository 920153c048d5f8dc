/** Table of Idempotency-Keys: which run a token's key has started, and with which request. */
import { text } from "../row.ts";
import type { Reader, Writer } from "../sqlite.ts";

export interface RunKey {
  /** Keys are separate for each token name. */
  token: string;
  key: string;
  /** Hexadecimal SHA-256 of the request, to detect the same key with another request. */
  requestSha256: string;
  runId: string;
}

export function readRunKey(sql: Reader, token: string, key: string): RunKey | null {
  const row = sql.first("SELECT request_sha256, run_id FROM run_keys WHERE token = ? AND key = ?", [
    token,
    key,
  ]);
  if (row === undefined) return null;
  return { token, key, requestSha256: text(row, "request_sha256"), runId: text(row, "run_id") };
}

export function insertRunKey(sql: Writer, { token, key, requestSha256, runId }: RunKey): void {
  sql.run("INSERT INTO run_keys (token, key, request_sha256, run_id) VALUES (?, ?, ?, ?)", [
    token,
    key,
    requestSha256,
    runId,
  ]);
}
