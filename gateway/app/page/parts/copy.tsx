/** Text with a button that copies it. */
import { useState } from "preact/hooks";

export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {copied ? "Copied" : label}
    </button>
  );
}

export function Snippet({ title, text }: { title: string; text: string }) {
  return (
    <section class="card">
      <div class="row ends">
        <h2>{title}</h2>
        <Copy text={text} label={`Copy ${title}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
