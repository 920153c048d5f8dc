/** Finds the route of a request with find-my-way. */
import FindMyWay from "find-my-way";
import { Fault } from "../protocol/faults.ts";
import { type Method, methods, type Route } from "./route.ts";

export interface Match {
  route: Route;
  params: Record<string, string | undefined>;
}

/** Longer than any id that deserves a 400; beyond it the router answers 404. */
const paramCharsMax = 8_192;

/** The function throws `not-found`, or `wrong-method` with the allowed methods in `detail`. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Match {
  const router = FindMyWay({ maxParamLength: paramCharsMax });
  for (const route of routes) {
    router.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ":$1"), () => {}, route);
  }
  const find = (method: Method, path: string): Match | null => {
    // The router would cut the host of an absolute target, and what follows a `#`.
    if (!path.startsWith("/") || path.includes("#")) return null;
    const found = router.find(method, path);
    // `on` was given a route as the store.
    return found === null ? null : { route: found.store as Route, params: found.params };
  };
  return (method, path) => {
    const known = methods.find((one) => one === method);
    const match = known === undefined ? null : find(known, path);
    if (match !== null) return match;
    const allowed = methods.filter((other) => find(other, path) !== null);
    if (allowed.length === 0) {
      const remedy = path.startsWith("/v1/") ? "" : "; its paths begin with /v1, as in /v1/openapi.json";
      throw new Fault("not-found", `there is no ${path.slice(0, 200)} in this API${remedy}`);
    }
    throw new Fault("wrong-method", `${path} is called with ${allowed.join(", ")}, not ${method}`, {
      allowed,
    });
  };
}
