/** The output of a run: rows as a table, and all of them as a CSV file. */
import { useState } from "preact/hooks";
import type { RunProfile } from "../../../../protocol/records.ts";
import { cellText, columnsOf, csvText, outputRows, ownValue } from "../../../../protocol/write-csv.ts";
import { attempt } from "../notices.tsx";
import { download } from "../parts/download.ts";
import { Table } from "../parts/table.tsx";

/** Rows that are shown; the file has all. */
const shownMax = 500;

interface OutputTableProps {
  runId: string;
  parts: readonly RunProfile[];
  nameOf(id: string): string;
  readAll(): Promise<RunProfile[]>;
}

export function OutputTable({ runId, parts, nameOf, readAll }: OutputTableProps) {
  const [escapeFormulas, setEscapeFormulas] = useState(true);
  const rows = outputRows(parts, nameOf);
  if (rows.length === 0) return null;
  const columns = columnsOf(rows);
  const save = async () => {
    const text = csvText(outputRows(await readAll(), nameOf), { escapeFormulas });
    download(`run-${runId}.csv`, text, "text/csv;charset=utf-8");
  };
  return (
    <section class="card" aria-label="Output">
      <div class="row ends">
        <h2>Output</h2>
        <label title="Adds ' before cells that start with =, +, - or @, so that a spreadsheet does not run them as formulas">
          <input
            type="checkbox"
            checked={escapeFormulas}
            onChange={(event) => setEscapeFormulas(event.currentTarget.checked)}
          />{" "}
          Safe for spreadsheets
        </label>
        <button type="button" onClick={() => void attempt(save)}>
          Export as CSV
        </button>
      </div>
      <Table label="Output rows" heads={columns}>
        {rows.slice(0, shownMax).map((row, at) => (
          <tr key={at}>
            {columns.map((column) => (
              <td key={column}>{cellText(ownValue(row, column))}</td>
            ))}
          </tr>
        ))}
      </Table>
      {rows.length > shownMax ? (
        <p class="soft">{rows.length - shownMax} more rows of these profiles are in the CSV file.</p>
      ) : null}
    </section>
  );
}
