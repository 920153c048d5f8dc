/** The rows of a dataset as CSV, read while they are sent. */

import type { Dataset, DatasetRowsReply } from "../../protocol/datasets.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { csvText } from "../../protocol/write-csv.ts";

const rowsAtOnce = 1_000;

/** Without secret columns. */
export async function* datasetCsv(
  { library }: { library: Pick<LibraryApi, "datasetRows"> },
  { id, columns }: Pick<Dataset, "id" | "columns">,
) {
  const shown = columns.filter(({ secret }) => !secret).map(({ name }) => name);
  let header = true; // With the first rows, so that a dataset that has just been deleted is a 404, not a file that ends early.
  for (let offset = 0; ; header = false) {
    const { json } = await library.datasetRows({ datasetId: id, offset, limit: rowsAtOnce });
    const { rows }: DatasetRowsReply = JSON.parse(Buffer.from(json).toString("utf8"));
    const values = rows.map((row) => row.values);
    if (header || rows.length > 0) yield csvText(values, { first: shown, header });
    if (rows.length === 0) return;
    offset += rows.length;
  }
}
