/** Activity: what happens in the service, as it happens, by kind and profile. */
import { useState } from "preact/hooks";
import { type EventType, eventTypes, type StoredEvent } from "../../../../protocol/events.ts";
import { counted } from "../parts/counted.ts";
import { Empty } from "../parts/empty.tsx";
import { Field } from "../parts/field.tsx";
import { Table } from "../parts/table.tsx";
import { When } from "../parts/when.tsx";
import { useKept, useNames } from "../profiles/store.ts";
import { goTo } from "../route.ts";
import { useActivity } from "./event-stream.ts";
import { eventWords, Subjects, toneOf, useEventNames } from "./event-words.tsx";

export function ActivityPage({ rest: [profileId = null] }: { rest: (string | null)[] }) {
  const [type, setType] = useState<EventType | null>(null);
  const { events, missed, complete, error } = useActivity(profileId, type);
  return (
    <>
      <h1>Activity</h1>
      <div class="row">
        <Field label="Kind">
          <select
            value={type ?? ""}
            onChange={({ currentTarget: { value } }) =>
              setType(eventTypes.find((one) => one === value) ?? null)
            }
          >
            <option value="">all</option>
            {eventTypes.map((one) => (
              <option key={one} value={one}>
                {eventWords[one]}
              </option>
            ))}
          </select>
        </Field>
        <ProfileField key={profileId} profileId={profileId} />
      </div>
      {error === null ? null : <p class="bad">{error}</p>}
      {missed === 0 ? null : (
        <p class="warn">{counted(missed, "event")} came while this page was not connected, and are gone.</p>
      )}
      {complete && events.length === 0 ? (
        <NoEvents filtered={profileId !== null || type !== null} />
      ) : (
        <EventTable events={events} />
      )}
    </>
  );
}

function NoEvents({ filtered }: { filtered: boolean }) {
  if (filtered) return <p class="card soft">No such event yet. It will be shown here when it happens.</p>;
  return (
    <Empty
      title="No event yet"
      first={
        <a class="button" href="#/profiles">
          Open a profile
        </a>
      }
    >
      What happens is listed here by itself: profiles that start and stop, runs, schedules, dead proxies,
      downloads. Programs get the same from <code>GET /v1/events</code> and from webhooks.
    </Empty>
  );
}

const offered = 50;

/** Offers names while the user types; a whole name selects. */
function ProfileField({ profileId }: { profileId: string | null }) {
  const { kept } = useKept();
  const nameOf = useNames();
  const [text, setText] = useState<string | null>(null);
  const shown = text ?? (profileId === null ? "" : nameOf(profileId));
  const like = shown.toLowerCase();
  const choose = (name: string) => {
    setText(name);
    const found = kept.find((profile) => profile.name === name);
    if (found !== undefined) goTo("activity", found.id);
    else if (name === "" && profileId !== null) goTo("activity");
  };
  return (
    <Field label="Profile">
      <input
        type="search"
        list="activity-profiles"
        placeholder="all"
        value={shown}
        onInput={(event) => choose(event.currentTarget.value)}
      />
      <datalist id="activity-profiles">
        {kept
          .filter(({ searched }) => searched.includes(like))
          .slice(0, offered)
          .map(({ id, name }) => (
            <option key={id} value={name} />
          ))}
      </datalist>
    </Field>
  );
}

function EventTable({ events }: { events: readonly StoredEvent[] }) {
  const names = useEventNames(events);
  return (
    <div class="card">
      <Table label="Events" class="stack events" heads={["Time", "Event", "About", "Details"]}>
        {events.map(({ id, event }) => (
          <tr key={id}>
            <td>
              <When at={event.at} exact />
            </td>
            <td title={event.type}>{eventWords[event.type]}</td>
            <td>
              <Subjects event={event} names={names} />
            </td>
            <td class="said">
              {event.status === undefined ? null : <span class={`tag ${toneOf(event)}`}>{event.status}</span>}{" "}
              {event.message}
              {event.error === undefined ? null : <span class="bad"> {event.error}</span>}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
