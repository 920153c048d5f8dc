/** The list of profiles as a grid that renders the visible rows only; arrows move, Space selects, Enter shows. */
// biome-ignore-all lint/a11y/useSemanticElements: a table lays out all its rows; of ten thousand these are the few in sight
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active row (aria-activedescendant)
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LiveProfile } from "../../../../protocol/profile-spec.ts";
import { type Choice, directionOf, type Order } from "./filter.ts";
import { step } from "./grid-keys.ts";
import { ProfileRow, rowHeight } from "./profile-row.tsx";
import type { Listed } from "./store.ts";

/** Rows that are rendered above and below the visible ones. */
const beyond = 8;

export interface GridProps {
  shown: readonly Listed[];
  live: ReadonlyMap<string, LiveProfile>;
  selected: ReadonlySet<string>;
  current: string | null;
  choice: Choice;
  onSort(order: Order): void;
  onSelect(selected: Set<string>): void;
  onShow(id: string): void;
  onDelete(): void;
}

function useSight(count: number) {
  const element = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return;
    const observer = new ResizeObserver(() => setHeight(box.clientHeight));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  const look = () => setFirst(Math.floor((element.current?.scrollTop ?? 0) / rowHeight));
  const from = Math.max(0, Math.min(first, count - 1) - beyond);
  const to = Math.min(count, first + Math.ceil(height / rowHeight) + beyond);
  const reveal = (index: number) => {
    const box = element.current;
    if (box === null) return;
    const top = index * rowHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + 2 * rowHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = top + 2 * rowHeight - box.clientHeight;
    look();
  };
  return { element, from, to, look, reveal, page: Math.max(1, Math.floor(height / rowHeight) - 2) };
}

export function ProfileGrid(props: GridProps) {
  const { shown, live, selected, current, onSelect, onShow } = props;
  const { element, from, to, look, reveal, page } = useSight(shown.length);
  const [active, setActive] = useState(0);
  const anchor = useRef(0);
  const at = Math.min(active, shown.length - 1);
  // Rows that come into view reuse the elements of those that leave it, which is faster than new elements.
  const slots = to - from + 1;
  useEffect(() => setActive((index) => Math.max(0, Math.min(index, shown.length - 1))), [shown.length]);

  const toggle = (index: number, range: boolean) => {
    const id = shown[index]?.id;
    if (id === undefined) return;
    const next = new Set(selected);
    if (range) for (const profile of between(shown, anchor.current, index)) next.add(profile.id);
    else {
      if (!next.delete(id)) next.add(id);
      anchor.current = index;
    }
    onSelect(next);
  };
  const move = (to: number, extend: boolean) => {
    setActive(to);
    reveal(to);
    if (extend) onSelect(new Set([...selected, ...between(shown, anchor.current, to).map(({ id }) => id)]));
    else anchor.current = to;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== element.current) return; // A button in a row handles its own keys.
    const to = step(event.key, at, page, shown.length);
    if (to !== null) move(to, event.shiftKey);
    else if (event.key === " ") toggle(at, event.shiftKey);
    else if (event.key === "Enter") onShow(shown[at]?.id ?? "");
    else if (event.key === "Escape") onSelect(new Set());
    else if (event.key === "Delete") props.onDelete();
    else if (event.key === "a" && (event.ctrlKey || event.metaKey))
      onSelect(new Set(shown.map(({ id }) => id)));
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={element}
      class="grid"
      role="grid"
      aria-label="Profiles"
      aria-rowcount={shown.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={shown.length === 0 ? undefined : `profile-${at}`}
      tabIndex={0}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" class="grid-head">
        <Head {...props} all={selected.size > 0 && selected.size >= shown.length} />
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${shown.length * rowHeight}px` }}>
        {withActive(from, to, at).map((index) => {
          const profile = shown[index];
          if (profile === undefined) return null;
          return (
            <ProfileRow
              key={index % slots}
              index={index}
              profile={profile}
              live={live.get(profile.id)}
              selected={selected.has(profile.id)}
              active={index === at}
              current={profile.id === current}
              onToggle={(range) => toggle(index, range)}
              onShow={() => {
                setActive(index);
                anchor.current = index;
                onShow(profile.id);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Also renders the active row when it is out of view: `aria-activedescendant` names it. */
function withActive(from: number, to: number, active: number): number[] {
  const indices = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  if (active >= 0 && (active < from || active >= to)) indices.push(active);
  return indices;
}

function between(shown: readonly Listed[], a: number, b: number): Listed[] {
  return shown.slice(Math.min(a, b), Math.max(a, b) + 1);
}

const columns: { title: string; order?: Order }[] = [
  { title: "Name", order: "name" },
  { title: "Status", order: "status" },
  { title: "Folder", order: "folder" },
  { title: "Tags" },
  { title: "Proxy", order: "proxy" },
  { title: "Last used", order: "used" },
];

type HeadProps = Pick<GridProps, "shown" | "choice" | "onSort" | "onSelect"> & { all: boolean };

function Head({ all, shown, choice, onSort, onSelect }: HeadProps) {
  return (
    <div role="row" class="grid-row" aria-rowindex={1}>
      <span role="columnheader" class="cell-check">
        <input
          type="checkbox"
          aria-label="Select all that are shown"
          checked={all}
          onChange={() => onSelect(all ? new Set() : new Set(shown.map(({ id }) => id)))}
        />
      </span>
      {columns.map(({ title, order }) => (
        <span
          key={title}
          role="columnheader"
          class={`cell-${title.toLowerCase().replace(" ", "-")}`}
          aria-sort={order === undefined ? undefined : directionOf(order, choice)}
        >
          {order === undefined ? (
            title
          ) : (
            <button type="button" class="sort" onClick={() => onSort(order)}>
              {title}
            </button>
          )}
        </span>
      ))}
      <span role="columnheader" class="cell-act">
        <span class="unseen">Open or close</span>
      </span>
    </div>
  );
}
