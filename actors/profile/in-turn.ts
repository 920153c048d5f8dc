/** Runs one profile after another in one thread, since a warm thread has its code compiled. Each has an actor of its own. */
import type { ProfileControlApi } from "../../protocol/messages/profile.ts";

/** `create` makes the next profile's actor, which calls `leave` when nothing of its profile is left. `vacant` is called each time. */
export function profilesInTurn(
  create: (leave: () => void) => ProfileControlApi,
  vacant: () => void,
): ProfileControlApi {
  const leave = () => {
    current = create(leave);
    vacant();
  };
  let current = create(leave);
  return {
    launch: (input) => current.launch(input),
    stop: (input) => current.stop(input),
    touch: (input) => current.touch(input),
    freezePages: (input) => current.freezePages(input),
    prepare: (input) => current.prepare(input),
    connect: (input) => current.connect(input),
  };
}
