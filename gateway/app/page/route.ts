/** The page that is shown, from the hash of the address: `#/runs/ID`. */
import { useEffect, useState } from "preact/hooks";

function current(): string[] {
  const path = location.hash.replace(/^#\/?/, "");
  try {
    return decodeURIComponent(path).split("/").filter(Boolean);
  } catch {
    return [path]; // Not valid percent-encoding: no page has this name.
  }
}

/** The parts of the path after `#/`. */
export function useRoute(): string[] {
  const [parts, setParts] = useState(current);
  useEffect(() => {
    const onChange = () => setParts(current());
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return parts;
}

export function goTo(...parts: string[]): void {
  location.hash = `#/${parts.map(encodeURIComponent).join("/")}`;
}
