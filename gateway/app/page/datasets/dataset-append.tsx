/** Appends the rows of a CSV file to a dataset; columns are matched by name. */
import type { Dataset } from "../../../../protocol/datasets.ts";
import type { CsvFile } from "./csv-file.ts";
import { CsvImport, Preview } from "./csv-import.tsx";
import { uploadMore } from "./dataset-upload.ts";

export function AppendDialog({ dataset, onClose }: { dataset: Dataset; onClose(): void }) {
  const wanted = dataset.columns.map(({ name }) => name);
  const lacking = (file: CsvFile) => wanted.filter((name) => !file.columns.includes(name));
  return (
    <CsvImport
      title={`Append to ${dataset.name}`}
      ready={(file) => file.rows.length > 0 && lacking(file).length === 0}
      send={(file, upload) => {
        const places = wanted.map((name) => file.columns.indexOf(name));
        const rows = file.rows.map(({ row, cells }) => ({ row, cells: places.map((at) => cells[at] ?? "") }));
        return uploadMore({ ...upload, columns: wanted, rows }, dataset.id);
      }}
      onClose={onClose}
    >
      {(file) => (
        <>
          <Preview
            file={file}
            secret={(column) => dataset.columns.some(({ name, secret }) => secret && name === column)}
            under={(column) =>
              wanted.includes(column) ? null : <small class="soft"> is not imported</small>
            }
          />
          {lacking(file).length === 0 ? null : (
            <p class="bad said" role="alert">
              {`The file must have every column of the dataset. Missing: ${lacking(file).join(", ")}.`}
            </p>
          )}
        </>
      )}
    </CsvImport>
  );
}
