/** The rows of a dataset as CSV, read while they are sent. */
import { csvText } from "../../protocol/csv.ts";
import type { Dataset, DatasetRowsReply } from "../../protocol/datasets.ts";
import type { Actors } from "../actors.ts";

const rowsAtOnce = 1_000;

/** Without secret columns. */
export async function* datasetCsv({ library }: Pick<Actors, "library">, { id, columns }: Dataset) {
  const shown = columns.filter(({ secret }) => !secret).map(({ name }) => name);
  yield csvText([], { first: shown });
  for (let offset = 0; ; ) {
    const { json } = await library.datasetRows({ datasetId: id, offset, limit: rowsAtOnce });
    const { rows }: DatasetRowsReply = JSON.parse(Buffer.from(json).toString("utf8"));
    if (rows.length === 0) return;
    offset += rows.length;
    yield csvText(
      rows.map(({ values }) => values),
      { first: shown, header: false },
    );
  }
}
