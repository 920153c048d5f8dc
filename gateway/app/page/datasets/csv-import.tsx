/** The import of a CSV file: choice, preview, progress, and the rejected rows. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { BadRow } from "../../../../protocol/datasets.ts";
import { counted } from "../parts/counted.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Table } from "../parts/table.tsx";
import { type CsvFile, readCsvFile } from "./csv-file.ts";
import type { Upload, Uploaded } from "./dataset-upload.ts";

const previewRows = 5;
const badShownMax = 100;

export interface CsvImportProps {
  title: string;
  children(file: CsvFile): ComponentChildren;
  ready(file: CsvFile): boolean;
  send(file: CsvFile, upload: Pick<Upload, "onProgress" | "stopped">): Promise<Uploaded>;
  onClose(): void;
}

export function CsvImport({ title, children, ready, send, onClose }: CsvImportProps) {
  const [file, setFile] = useState<CsvFile | null>(null);
  const [reading, setReading] = useState<File | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [sent, setSent] = useState<number | null>(null);
  const [uploaded, setUploaded] = useState<Uploaded | null>(null);
  const latest = useRef<File | null>(null);
  const closed = useRef(false);
  useEffect(
    () => () => {
      closed.current = true;
    },
    [],
  );
  const read = async (given: File) => {
    setFile(null);
    setError(null);
    setReading(given);
    latest.current = given;
    const isLatest = () => latest.current === given && !closed.current; // The user may have chosen another file meanwhile.
    await readCsvFile(given).then(
      (found) => isLatest() && setFile(found),
      (failure: Error) => isLatest() && setError(failure.message),
    );
    if (isLatest()) setReading(null);
  };
  const act = async () => {
    if (file === null) return;
    setSent(0);
    try {
      setUploaded(await send(file, { onProgress: setSent, stopped: () => closed.current }));
    } finally {
      setSent(null);
    }
  };
  const rows = file?.rows.length ?? 0;
  if (file !== null && uploaded !== null) return <Done file={file} uploaded={uploaded} onClose={onClose} />;
  return (
    <FormDialog
      title={title}
      submit={`Import ${counted(rows, "row")}`}
      ready={file !== null && ready(file)}
      act={act}
      onClose={onClose}
    >
      <Field label="CSV file" hint="UTF-8, with the column names in the first line.">
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          required
          onChange={(event) => {
            const given = event.currentTarget.files?.[0];
            if (given !== undefined) void read(given);
          }}
        />
      </Field>
      {error === null ? null : (
        <p class="bad said" role="alert">
          {error}
        </p>
      )}
      {reading === null ? null : <p role="status">Reading {reading.name} …</p>}
      {file === null ? null : children(file)}
      {sent === null ? null : (
        <p role="status">
          <progress aria-label="Rows sent" max={rows} value={sent} />
          {` ${sent.toLocaleString()} of ${rows.toLocaleString()} rows sent`}
        </p>
      )}
    </FormDialog>
  );
}

export function Preview(props: {
  file: CsvFile;
  secret(column: string): boolean;
  under?(column: string): ComponentChildren;
}) {
  const { file, secret, under } = props;
  return (
    <>
      <p role="status">
        <strong>{file.name}</strong>: {counted(file.rows.length, "row")},{" "}
        {counted(file.columns.length, "column")}
        {file.badRows.length > 0 ? (
          <span class="warn">{`; ${counted(file.badRows.length, "row does not", "rows do not")} fit the header`}</span>
        ) : null}
      </p>
      <Table
        label="First rows of the file"
        class="preview"
        heads={[
          { text: "Row", number: true },
          ...file.columns.map((column) => ({
            text: (
              <>
                {column}
                {under?.(column)}
              </>
            ),
          })),
        ]}
      >
        {file.rows.slice(0, previewRows).map(({ row, cells }) => (
          <tr key={row}>
            <td class="number">{row}</td>
            {file.columns.map((column, at) => (
              <td key={column}>
                {secret(column) ? <span class="soft">hidden</span> : (cells[at] ?? "").slice(0, 200)}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </>
  );
}

interface DoneProps {
  file: CsvFile;
  uploaded: Uploaded;
  onClose(): void;
}

function Done({ file, uploaded, onClose }: DoneProps) {
  const badRows = [...file.badRows, ...uploaded.badRows].sort((a, b) => a.row - b.row);
  return (
    <Dialog title="Import finished" onClose={onClose}>
      <p role="status">{`${counted(uploaded.added, "row was", "rows were")} added.`}</p>
      {badRows.length === 0 ? null : <BadRows badRows={badRows} />}
      <div class="row ends">
        <button type="button" onClick={onClose}>
          Done
        </button>
        <a class="button" href={`#/datasets/${uploaded.datasetId}`} onClick={onClose}>
          Show rows
        </a>
      </div>
    </Dialog>
  );
}

function BadRows({ badRows }: { badRows: BadRow[] }) {
  const more = badRows.length - badShownMax;
  return (
    <>
      <p class="warn">{`${counted(badRows.length, "row was", "rows were")} rejected:`}</p>
      <ul>
        {badRows.slice(0, badShownMax).map(({ row, error }) => (
          <li key={row}>{`row ${row}: ${error}`}</li>
        ))}
      </ul>
      {more > 0 ? <p class="soft">{`and ${more.toLocaleString()} more`}</p> : null}
    </>
  );
}
