/** Assigns something to profiles, which may already have one of its kind. */
import { useState } from "preact/hooks";
import { FormDialog } from "../parts/form-dialog.tsx";
import { ProfilePicker } from "./profile-picker.tsx";

export function AssignDialog(props: {
  name: string;
  replaces: string;
  assign(profileIds: string[], force: boolean): Promise<unknown>;
  onClose(): void;
}) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [force, setForce] = useState(false);
  return (
    <FormDialog
      title={`Assign ${props.name}`}
      submit="Assign"
      ready={chosen.size > 0}
      act={() => props.assign([...chosen], force)}
      onClose={props.onClose}
    >
      <ProfilePicker chosen={chosen} onChange={setChosen} />
      <p>
        <label>
          <input
            type="checkbox"
            checked={force}
            onChange={(event) => setForce(event.currentTarget.checked)}
          />{" "}
          {props.replaces}
        </label>
      </p>
    </FormDialog>
  );
}
