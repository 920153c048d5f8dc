/** A new dataset from a CSV file: its name, its mode, and its secret columns. */
import { useState } from "preact/hooks";
import type { DatasetMode } from "../../../../protocol/datasets.ts";
import { Field } from "../parts/field.tsx";
import type { CsvFile } from "./csv-file.ts";
import { CsvImport, Preview } from "./csv-import.tsx";
import { uploadNew } from "./dataset-upload.ts";

/** Columns with such a name are secret unless the user changes it. */
const secretNames = /pass|secret|token|key|otp|2fa|pin$/i;

interface Draft {
  /** Empty: the file's name. */
  name: string;
  mode: DatasetMode;
  rowsPerRun: number;
  turned: ReadonlySet<string>;
}

const nameOf = (file: CsvFile) => file.name.replace(/\.\w+$/, "").slice(0, 200);

export function DatasetForm({ onClose }: { onClose(): void }) {
  const [draft, setDraft] = useState<Draft>({ name: "", mode: "fixed", rowsPerRun: 1, turned: new Set() });
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const isSecret = (column: string) => secretNames.test(column) !== draft.turned.has(column);
  const turn = (column: string) => {
    const turned = new Set(draft.turned);
    if (!turned.delete(column)) turned.add(column);
    change({ turned });
  };
  const { mode, rowsPerRun } = draft;
  return (
    <CsvImport
      title="New dataset"
      ready={(file) => file.rows.length > 0}
      send={(file, upload) => {
        const columns = file.columns.map((name) => ({ name, secret: isSecret(name) }));
        const rows_per_run = mode === "consume" ? { rows_per_run: rowsPerRun } : {};
        const dataset = { name: draft.name || nameOf(file), mode, columns, ...rows_per_run };
        return uploadNew({ ...upload, columns: file.columns, rows: file.rows }, dataset);
      }}
      onClose={onClose}
    >
      {(file) => (
        <>
          <Preview
            file={file}
            secret={isSecret}
            under={(column) => (
              <label class="under">
                <input
                  type="checkbox"
                  aria-label={`${column} is secret`}
                  checked={isSecret(column)}
                  onChange={() => turn(column)}
                />{" "}
                secret
              </label>
            )}
          />
          <p class="soft">
            Secret columns are encrypted on disk, never shown, and available to approved scripts only.
          </p>
          <Choices draft={draft} placeholder={nameOf(file)} change={change} />
        </>
      )}
    </CsvImport>
  );
}

interface ChoicesProps {
  draft: Draft;
  placeholder: string;
  change(part: Partial<Draft>): void;
}

function Choices({ draft, placeholder, change }: ChoicesProps) {
  const modes: [DatasetMode, string][] = [
    ["fixed", "fixed: each profile keeps one row, such as an account"],
    ["consume", "consume: each run takes rows, and none is used twice"],
  ];
  return (
    <>
      <Field label="Name">
        <input
          maxLength={200}
          placeholder={placeholder}
          value={draft.name}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      </Field>
      <fieldset>
        <legend>Mode</legend>
        {modes.map(([mode, label]) => (
          <label key={mode} class="line">
            <input type="radio" name="mode" checked={draft.mode === mode} onChange={() => change({ mode })} />{" "}
            {label}
          </label>
        ))}
      </fieldset>
      {draft.mode === "consume" ? (
        <Field label="Rows per profile and run">
          <input
            type="number"
            required
            min={1}
            max={100}
            value={draft.rowsPerRun}
            onInput={(event) => change({ rowsPerRun: event.currentTarget.valueAsNumber || 0 })}
          />
        </Field>
      ) : null}
    </>
  );
}
