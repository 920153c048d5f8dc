/** Which page is shown: the hash of the address, as `#/runs/ID`. */
import { useEffect, useState } from "preact/hooks";

function current(): string[] {
  const path = location.hash.replace(/^#\/?/, "");
  try {
    return decodeURIComponent(path).split("/").filter(Boolean);
  } catch {
    return [path]; // There is no page of such a name.
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
