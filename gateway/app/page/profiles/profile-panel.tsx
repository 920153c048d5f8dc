/** One profile in full: name, identity, proxy, labels and cookies. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ProfileDetail } from "../../../../protocol/messages/profile-keeping.ts";
import type { LiveProfile } from "../../../../protocol/profile-spec.ts";
import { app } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt, report } from "../notices.tsx";
import { Copy } from "../parts/copy.tsx";
import { When } from "../parts/when.tsx";
import { exportCookies, importCookies } from "./acts.ts";
import { Copies } from "./copies.tsx";
import { OpenButton, Status } from "./profile-row.tsx";
import type { Asked } from "./selection.tsx";
import type { Listed } from "./store.ts";

export function ProfilePanel(props: {
  profile: Listed;
  live: LiveProfile | undefined;
  onAsk(asked: Asked): void;
  onClose(): void;
}) {
  const { profile, live, onAsk, onClose } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the paint, so that the next key goes to the panel; an effect can run several frames later.
  useLayoutEffect(() => heading.current?.focus(), [profile.id]);
  return (
    <aside
      class="panel"
      aria-label="Profile"
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <div class="row ends">
        <h2 ref={heading} tabIndex={-1}>
          {profile.name}
        </h2>
        <button type="button" aria-label="Close the panel" onClick={onClose}>
          ×
        </button>
      </div>
      <div class="row">
        <Status live={live} />
        <OpenButton profile={profile} live={live} />
        <a href={`#/activity/${profile.id}`}>Activity</a>
      </div>
      {profile.trashedAt === null ? <Rename key={profile.id} profile={profile} /> : null}
      <Facts facts={labelsOf(profile)} title="Details" />
      {profile.trashedAt === null ? (
        <>
          <div class="row">
            {(["folder", "tags", "groups"] as const).map((asked) => (
              <button key={asked} type="button" onClick={() => onAsk(asked)}>
                {asked === "folder" ? "Move …" : asked === "tags" ? "Tags …" : "Groups …"}
              </button>
            ))}
          </div>
          <Shown key={profile.id} id={profile.id} />
          <Cookies key={profile.id} profile={profile} />
          <Copies key={`copies ${profile.id}`} profile={profile} live={live} />
          <ForPrograms id={profile.id} cdpUrl={live?.cdpUrl ?? null} />
          <p>
            <button type="button" class="danger" onClick={() => onAsk("trash")}>
              Delete …
            </button>
          </p>
        </>
      ) : (
        <button type="button" class="danger" onClick={() => onAsk("delete")}>
          Delete permanently …
        </button>
      )}
    </aside>
  );
}

function ForPrograms({ id, cdpUrl }: { id: string; cdpUrl: string | null }) {
  return (
    <>
      <h3>For programs</h3>
      <div class="row">
        <code class="grow wrap">{id}</code>
        <Copy text={id} label="Copy id" />
      </div>
      {cdpUrl === null ? null : (
        <div class="row">
          <code class="grow">{cdpUrl}</code>
          <Copy text={cdpUrl} label="Copy cdpUrl" />
        </div>
      )}
    </>
  );
}

function Rename({ profile }: { profile: Listed }) {
  const [name, setName] = useState(profile.name);
  useEffect(() => setName(profile.name), [profile.name]);
  const rename = () => app.editProfiles({ profileIds: [profile.id], name });
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(rename, `Renamed to ${name}.`);
      }}
    >
      <input
        class="grow"
        aria-label="Name"
        required
        maxLength={200}
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" disabled={name.trim() === "" || name === profile.name}>
        Rename
      </button>
    </form>
  );
}

type Fact = [string, string | null | undefined];

function Facts({ title, facts }: { title: string; facts: Fact[] }) {
  return (
    <>
      <h3>{title}</h3>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value == null || value === "" ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </>
  );
}

function labelsOf(profile: Listed): Fact[] {
  return [
    ["Folder", profile.folder ?? "none"],
    ["Tags", profile.tags.join(", ") || "none"],
    ["Groups", profile.groups.join(", ") || "none"],
    ["Slug", profile.slug],
    ["Identity dataset", profile.identityDataset],
    ["Content dataset", profile.contentDataset],
    ["Variables", profile.variableNames.join(", ")],
    ["Created", new Date(profile.createdAt).toLocaleString()],
    ["Last used", profile.lastUsed === null ? "never" : new Date(profile.lastUsed).toLocaleString()],
  ];
}

function Shown({ id }: { id: string }) {
  const { value, error } = useLive(["profiles", "proxies"], () => app.profileDetail({ profileId: id }), id);
  if (value === null) return error === null ? null : <p class="bad">{error}</p>;
  return (
    <>
      <Facts title="Identity" facts={identityOf(value)} />
      <Facts title="Proxy" facts={proxyOf(value)} />
      {value.proxy.geo === null ? null : (
        <p class="soft">
          Measured <When at={value.proxy.geo.measuredAt} />
        </p>
      )}
    </>
  );
}

function identityOf({ os, timezone, languages, fingerprint }: ProfileDetail): Fact[] {
  const shared: Fact[] = [
    ["System", os],
    ["Time zone", timezone],
    ["Languages", languages.length === 0 ? "this machine's" : languages.join(", ")],
  ];
  if (fingerprint === null) return [...shared, ["Device", "this machine's"]];
  const { screen, gpu } = fingerprint;
  return [
    ...shared,
    ["Screen", `${screen.width} × ${screen.height} at ${screen.devicePixelRatio}, ${screen.colorDepth} bit`],
    ["Processor", `${fingerprint.architecture}, ${fingerprint.hardwareConcurrency} threads`],
    ["Graphics", gpu === null ? "this machine's" : gpu.renderer],
    ["Platform version", fingerprint.platformVersion],
  ];
}

function proxyOf({ proxy }: ProfileDetail): Fact[] {
  if (!proxy.enabled) return [["Connection", "direct, without a proxy"]];
  const { geo } = proxy;
  return [
    ["Pool", proxy.poolName === null ? null : `${proxy.poolName}, slot ${proxy.slot}`],
    ["Address", `${proxy.address} (${proxy.proxyType}${proxy.requiresAuth ? ", with password" : ""})`],
    ["Exit IP", geo === null ? "not measured yet" : geo.ip],
    ["Location", geo === null ? null : [geo.city, geo.country].filter((part) => part !== null).join(", ")],
    ["Time zone of the exit", geo?.timezone],
    ["Last failure", proxy.error],
  ];
}

function Cookies({ profile }: { profile: Listed }) {
  const file = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState<"import" | "export" | null>(null);
  const during = (what: "import" | "export", act: () => Promise<unknown>) => {
    setBusy(what);
    void act().finally(() => setBusy(null));
  };
  const read = async (chosen: File | undefined) => {
    if (chosen === undefined) return;
    let said = "";
    const done = await attempt(async () => {
      said = await importCookies(profile.id, chosen);
    });
    if (done) report(said);
    if (file.current !== null) file.current.value = ""; // So that the user can choose the same file again.
  };
  return (
    <>
      <h3>Cookies</h3>
      <div class="row">
        <button
          type="button"
          disabled={busy !== null}
          onClick={() => during("export", () => attempt(() => exportCookies(profile), "Cookies exported."))}
        >
          {busy === "export" ? "Exporting …" : "Export"}
        </button>
        <button type="button" disabled={busy !== null} onClick={() => file.current?.click()}>
          {busy === "import" ? "Importing …" : "Import …"}
        </button>
        <input
          ref={file}
          class="unseen"
          type="file"
          tabIndex={-1}
          accept=".json,.txt,application/json,text/plain"
          aria-label="Cookie file"
          onChange={(event) => during("import", () => read(event.currentTarget.files?.[0]))}
        />
      </div>
      <p class="soft">
        JSON, as in Playwright, Puppeteer and EditThisCookie. A closed profile is opened without a window for
        the import or export.
      </p>
    </>
  );
}
