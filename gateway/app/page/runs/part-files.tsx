/** The files that a script kept with one profile of a run: pictures are shown, all can be saved. */
import { useEffect, useState } from "preact/hooks";
import type { RunFile } from "../../../../protocol/run-requests.ts";
import { bytesOf, get, save } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { sizeText } from "../parts/size.ts";

interface Props {
  runId: string;
  profileId: string;
  count: number;
}

/** Read when it is unfolded. */
export function PartFiles({ runId, profileId, count }: Props) {
  const path = filesOf(runId, profileId);
  const [files, setFiles] = useState<RunFile[] | null>(null);
  const read = async () => setFiles(await get<RunFile[]>(path));
  return (
    <details
      onToggle={({ currentTarget }) => {
        if (currentTarget.open && files === null) void attempt(read);
      }}
    >
      <summary>Files ({count})</summary>
      <ul class="plain">
        {(files ?? []).map(({ name, bytes }) => (
          <li key={name}>
            <div class="row">
              <span class="grow">
                {name} <span class="soft">{sizeText(bytes)}</span>
              </span>
              <button
                type="button"
                aria-label={`Save ${name}`}
                onClick={() => void attempt(() => save(fileOf(path, name), name.split("/").at(-1) ?? name))}
              >
                Save
              </button>
            </div>
            {isPicture(name, bytes) ? <Picture path={fileOf(path, name)} name={name} /> : null}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The last picture that the part kept, usually of where it failed. */
export function LastPicture({ runId, profileId, of }: { runId: string; profileId: string; of: string }) {
  const path = filesOf(runId, profileId);
  const { value } = useLive([], () => get<RunFile[]>(path), path);
  const last = value?.findLast(({ name, bytes }) => isPicture(name, bytes));
  if (last === undefined) return null;
  return <Picture path={fileOf(path, last.name)} name={last.name} alt={`${last.name} of ${of}`} />;
}

const filesOf = (runId: string, profileId: string) => `/v1/runs/${runId}/profiles/${profileId}/files`;
const fileOf = (path: string, name: string) => `${path}/${encodeURIComponent(name)}`;

const shownBytesMax = 10_000_000;
const pictureTypes = new Map(
  Object.entries({
    png: "image/png",
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    webp: "image/webp",
    gif: "image/gif",
  }),
);
const typeOf = (name: string) => pictureTypes.get(name.split(".").at(-1)?.toLowerCase() ?? "");
const isPicture = (name: string, bytes: number) => bytes <= shownBytesMax && typeOf(name) !== undefined;

/** An image element cannot carry the session, so the bytes are read first. */
function Picture({ path, name, alt = name }: { path: string; name: string; alt?: string }) {
  const [source, setSource] = useState<string | null>(null);
  useEffect(() => {
    let made = "";
    const show = async () => {
      made = URL.createObjectURL(new Blob([await bytesOf(path)], { type: typeOf(name) ?? "" }));
      setSource(made);
    };
    void attempt(show);
    return () => URL.revokeObjectURL(made);
  }, [path, name]);
  return source === null ? null : <img class="kept" src={source} alt={alt} />;
}
