/** A profile from the file that "Save as a file" has made, here or on another machine. */
import { useRef, useState } from "preact/hooks";
import type { ImportedProfile } from "../../../../protocol/profile-copies.ts";
import { postFile } from "../api.ts";
import { attempt, report } from "../notices.tsx";
import { goTo } from "../route.ts";

export function FromFile() {
  const file = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const read = async (chosen: File | undefined) => {
    if (chosen === undefined) return;
    setBusy(true);
    let missing: string[] = [];
    const done = await attempt(async () => {
      const path = "/v1/profiles/import";
      const made = await postFile<ImportedProfile>(path, chosen, "application/vnd.troupe.profile");
      missing = made.missing;
      goTo("profiles", made.id);
    });
    const lacks = missing.length === 0 ? "." : `, without ${missing.join(", ")}.`;
    if (done) report(`The profile is imported${lacks}`);
    setBusy(false);
    if (file.current !== null) file.current.value = ""; // So that the user can choose the same file again.
  };
  return (
    <>
      <button type="button" disabled={busy} onClick={() => file.current?.click()}>
        {busy ? "Importing …" : "From a file …"}
      </button>
      <input
        ref={file}
        type="file"
        hidden
        accept=".troupe"
        aria-label="Profile file"
        onChange={(event) => void read(event.currentTarget.files?.[0])}
      />
    </>
  );
}
