/** The actions on the selected profiles, and the dialogs of these actions. */
import { useState } from "preact/hooks";
import type { ProfileEdit } from "../../../../protocol/messages/profile-keeping.ts";
import { app } from "../api.ts";
import { report } from "../notices.tsx";
import { counted } from "../parts/counted.ts";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { closeProfiles, openProfiles, profiles, restoreProfiles } from "./acts.ts";
import { wordsOf } from "./create-dialog.tsx";
import type { Facets } from "./filter.ts";

export type Asked = "folder" | "tags" | "groups" | "trash" | "delete" | "empty";

export function SelectionBar(props: {
  ids: string[];
  inTrash: boolean;
  onAsk(asked: Asked): void;
  onNone(): void;
}) {
  const { ids, inTrash, onAsk, onNone } = props;
  const [busy, setBusy] = useState(false);
  const act = (what: (ids: string[]) => Promise<unknown>) => {
    setBusy(true);
    void what(ids).finally(() => setBusy(false));
  };
  const ask = (asked: Asked, label: string, look = "") => (
    <button type="button" class={look} onClick={() => onAsk(asked)}>
      {label}
    </button>
  );
  return (
    <section class="row selection" aria-label="Selected profiles">
      <strong>{profiles(ids.length)} selected</strong>
      {inTrash ? (
        <>
          <button type="button" disabled={busy} onClick={() => act(restoreProfiles)}>
            Restore
          </button>
          {ask("delete", "Delete permanently …", "danger")}
        </>
      ) : (
        <>
          <button type="button" disabled={busy} onClick={() => act(openProfiles)}>
            Open
          </button>
          <button type="button" disabled={busy} onClick={() => act(closeProfiles)}>
            Close
          </button>
          {ask("folder", "Move …")}
          {ask("tags", "Tags …")}
          {ask("groups", "Groups …")}
          {ask("trash", "Delete …", "danger")}
        </>
      )}
      <button type="button" onClick={onNone}>
        Select none
      </button>
    </section>
  );
}

export function AskDialog(props: {
  asked: Asked;
  ids: string[];
  running: number;
  facets: Facets;
  onDone(): void;
  onClose(): void;
}) {
  const { asked, ids, facets } = props;
  if (asked === "folder") return <FolderDialog {...props} known={facets.folders.map(([name]) => name)} />;
  if (asked === "tags" || asked === "groups")
    return <LabelDialog {...props} what={asked} known={facets[asked].map(([name]) => name)} />;
  const many = asked === "empty" ? profiles(facets.trash) : profiles(ids.length);
  if (asked === "trash") {
    const trash = () => app.trashProfiles({ profileIds: ids });
    return (
      <FormDialog
        title="Delete profiles"
        submit="Move to the trash"
        danger
        act={() => finish(trash, () => `${many} moved to the trash.`, props.onDone)}
        onClose={props.onClose}
      >
        <p>
          Moves {many} to the trash. Logins and cookies are kept until you delete the profiles permanently.
          {props.running > 0 ? ` This closes ${counted(props.running, "running profile")}.` : ""}
        </p>
      </FormDialog>
    );
  }
  // The notice takes the count from the reply, because this window's copy of the trash may be out of date.
  const remove = () => app.deleteForGood({ profileIds: asked === "empty" ? null : ids });
  return (
    <FormDialog
      title={asked === "empty" ? "Empty the trash" : "Delete permanently"}
      submit="Delete permanently"
      danger
      act={() => finish(remove, ({ deleted }) => `${profiles(deleted)} deleted permanently.`, props.onDone)}
      onClose={props.onClose}
    >
      <p>
        Deletes <strong>{many}</strong> with identity, logins, cookies and stored variables. This cannot be
        undone.
      </p>
    </FormDialog>
  );
}

/** Shows a notice after success; throws for the dialog to show the error. */
async function finish<Reply>(
  act: () => Promise<Reply>,
  done: (reply: Reply) => string,
  onDone: () => void,
): Promise<void> {
  const reply = await act();
  report(done(reply));
  onDone();
}

interface LabelProps {
  ids: string[];
  known: string[];
  onDone(): void;
  onClose(): void;
}

function FolderDialog({ ids, known, onDone, onClose }: LabelProps) {
  const [folder, setFolder] = useState("");
  const name = folder.trim();
  const move = () => app.editProfiles({ profileIds: ids, folder: name === "" ? null : name });
  const done = `${profiles(ids.length)} ${name === "" ? "removed from their folder" : `moved to ${name}`}.`;
  return (
    <FormDialog
      title={`Move ${profiles(ids.length)}`}
      submit="Move"
      act={() => finish(move, () => done, onDone)}
      onClose={onClose}
    >
      <Field label="Folder" hint="A new name creates a folder. Empty: no folder.">
        <input
          list="folders"
          maxLength={100}
          value={folder}
          onInput={(event) => setFolder(event.currentTarget.value)}
        />
      </Field>
      <Known id="folders" names={known} />
    </FormDialog>
  );
}

function LabelDialog({ ids, known, what, onDone, onClose }: LabelProps & { what: "tags" | "groups" }) {
  const [add, setAdd] = useState("");
  const [remove, setRemove] = useState("");
  const save = () => {
    const [added, removed] = [wordsOf(add), wordsOf(remove)];
    const edit: ProfileEdit =
      what === "tags"
        ? { profileIds: ids, addTags: added, removeTags: removed }
        : { profileIds: ids, addGroups: added, removeGroups: removed };
    return app.editProfiles(edit);
  };
  return (
    <FormDialog
      title={`${what === "tags" ? "Tags" : "Groups"} of ${profiles(ids.length)}`}
      submit="Save"
      ready={add.trim() + remove.trim() !== ""}
      act={() => finish(save, () => `${profiles(ids.length)} changed.`, onDone)}
      onClose={onClose}
    >
      <Field label="Add" hint="Separated by commas">
        <input list="labels" value={add} onInput={(event) => setAdd(event.currentTarget.value)} />
      </Field>
      <Field label="Remove" hint="Separated by commas">
        <input list="labels" value={remove} onInput={(event) => setRemove(event.currentTarget.value)} />
      </Field>
      <Known id="labels" names={known} />
    </FormDialog>
  );
}

function Known({ id, names }: { id: string; names: string[] }) {
  return (
    <datalist id={id}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
