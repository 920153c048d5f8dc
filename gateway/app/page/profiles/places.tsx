/** The filters beside the list: all profiles, open ones, folders, tags, groups, trash. */
import { type Facets, type Place, samePlace } from "./filter.ts";

export function Places(props: { facets: Facets; place: Place; onChoose(place: Place): void }) {
  const { facets, place, onChoose } = props;
  const entry = (to: Place, label: string, count: number) => (
    <li key={label}>
      <button
        type="button"
        aria-current={samePlace(to, place) ? "true" : undefined}
        onClick={() => onChoose(to)}
      >
        <span>{label}</span> <small>{count.toLocaleString()}</small>
      </button>
    </li>
  );
  const list = (title: string, kind: "folder" | "tag" | "group", entries: [string, number][]) =>
    entries.length === 0 ? null : (
      <>
        <h2>{title}</h2>
        <ul>{entries.map(([name, count]) => entry({ kind, name }, name, count))}</ul>
      </>
    );
  return (
    <nav class="places" aria-label="Profile filters">
      <ul>
        {entry({ kind: "all" }, "All", facets.all)}
        {entry({ kind: "open" }, "Open", facets.open)}
      </ul>
      {list("Folders", "folder", facets.folders)}
      {list("Tags", "tag", facets.tags)}
      {list("Groups", "group", facets.groups)}
      <ul class="last">{entry({ kind: "trash" }, "Trash", facets.trash)}</ul>
    </nav>
  );
}
