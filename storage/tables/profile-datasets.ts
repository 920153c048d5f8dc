/** Table of the profiles' dataset slots: Identity and Content. */
import { integer, text, word } from "../row.ts";
import type { Reader, Writer } from "../sqlite.ts";

export type DatasetSlot = "identity" | "content";

export interface FilledSlot {
  profileId: string;
  slot: DatasetSlot;
  dataset: number;
  datasetName: string;
}

const select = `SELECT profile_id, slot, dataset, datasets.name AS name
  FROM profile_datasets JOIN datasets ON datasets.position = profile_datasets.dataset`;

function slotsOf(rows: ReturnType<Reader["all"]>): FilledSlot[] {
  return rows.map((row) => ({
    profileId: text(row, "profile_id"),
    slot: word(row, "slot", ["identity", "content"]),
    dataset: integer(row, "dataset"),
    datasetName: text(row, "name"),
  }));
}

export function readSlots(sql: Reader): FilledSlot[] {
  return slotsOf(sql.all(`${select} ORDER BY profile_id, slot`));
}

export function slotsOfProfiles(sql: Reader, profileIds: readonly string[]): FilledSlot[] {
  return slotsOf(
    sql.all(`${select} WHERE profile_id IN (SELECT value FROM json_each(?)) ORDER BY profile_id, slot`, [
      JSON.stringify(profileIds),
    ]),
  );
}

export function profilesByDataset(sql: Reader): Map<number, number> {
  const counted = sql.all("SELECT dataset, count(*) AS profiles FROM profile_datasets GROUP BY dataset");
  return new Map(counted.map((row) => [integer(row, "dataset"), integer(row, "profiles")]));
}

export function fillSlots(
  sql: Writer,
  dataset: number,
  slot: DatasetSlot,
  profileIds: readonly string[],
): void {
  sql.run(
    `INSERT INTO profile_datasets (profile_id, slot, dataset) SELECT value, ?, ? FROM json_each(?) WHERE true
     ON CONFLICT (profile_id, slot) DO UPDATE SET dataset = excluded.dataset`,
    [slot, dataset, JSON.stringify(profileIds)],
  );
}

export function emptySlots(sql: Writer, dataset: number, profileIds: readonly string[]): void {
  sql.run(
    "DELETE FROM profile_datasets WHERE dataset = ? AND profile_id IN (SELECT value FROM json_each(?))",
    [dataset, JSON.stringify(profileIds)],
  );
}
