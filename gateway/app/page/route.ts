/** Which page is shown: the hash of the address, as `#/runs/ID`. */
import { useEffect, useState } from "preact/hooks";

const current = () => decodeURIComponent(location.hash.replace(/^#\/?/, "")).split("/").filter(Boolean);

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
