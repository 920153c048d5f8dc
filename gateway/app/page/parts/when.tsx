/** Dates and times, and the time between two of them. */
import { durationText } from "./measures.ts";

const clock = { hour: "2-digit", minute: "2-digit" } as const;
const looks = {
  today: new Intl.DateTimeFormat(undefined, clock),
  todayExact: new Intl.DateTimeFormat(undefined, { ...clock, second: "2-digit" }),
  thisYear: new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", ...clock }),
  other: new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }),
};

function shortly(date: Date, exact: boolean): string {
  const now = new Date();
  if (date.toDateString() === now.toDateString())
    return (exact ? looks.todayExact : looks.today).format(date);
  return (date.getFullYear() === now.getFullYear() ? looks.thisYear : looks.other).format(date);
}

/** The local time, today without the date; `never` for null. `exact`: today with seconds. */
export function When(props: { at: string | null; never?: string; exact?: boolean }) {
  const { at, never = "never", exact = false } = props;
  if (at === null) return <span class="soft">{never}</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {shortly(date, exact)}
    </time>
  );
}

/** The time between two ISO dates, such as `4.2 s` and `2 min 5 s`; empty when one is null. */
export function lasted(from: string | null, to: string | null): string {
  if (from === null || to === null) return "";
  const ms = Math.max(0, Date.parse(to) - Date.parse(from));
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : durationText(Math.round(ms / 1000) * 1000);
}
