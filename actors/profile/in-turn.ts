/**
 * One profile after another in one thread. For each there is an actor of its own, made when nothing of the one before is left: no
 * browser, no script's process, no port. What stays is the code that V8 has made by then, which a new thread makes anew.
 */
import type { ProfileControlApi } from "../../protocol/messages/profile.ts";

/** `create` makes the actor of the next profile; it is told whom to tell that its own is gone. `vacant` is told each time. */
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
    forkAhead: (input) => current.forkAhead(input),
    prepare: (input) => current.prepare(input),
    connect: (input) => current.connect(input),
  };
}
