/** Removes what looks like a secret from text for people. A second line of defence: whoever writes passes none. */

const redacted = "[redacted]";

/** Names of fields whose value is a secret. */
const secretName = /^(proxy-)?authorization$|^(set-)?cookies?$|^(password|passphrase|secret|token|bearer)$/i;

const secrets: readonly [pattern: RegExp, instead: string][] = [
  [/\btroupe_[\w-]{20,}/g, `troupe_${redacted}`],
  [/\bwhsec_[\w+/=-]{8,}/g, `whsec_${redacted}`],
  // A link to the control page, and a line of a proxy list.
  [/(#key=)[\w-]+/g, `$1${redacted}`],
  [/\b([\w.-]+:\d{2,5}:)[^\s:"']+:[^\s"',]+/g, `$1${redacted}`],
  [
    /\b((?:x-)?api[-_]?key|password|passphrase|secret)(["']?\s*[:=]\s*["']?)[^\s"',;&}]+/gi,
    `$1$2${redacted}`,
  ],
  [/\b(bearer|basic) +[\w.~+/=-]{8,}/gi, `$1 ${redacted}`],
  // A user and password in a URL; an unescaped password may contain an at sign.
  [/:\/\/[^\s/?#"'<>]+@/g, `://${redacted}@`],
  [/\b((?:set-)?cookie|(?:proxy-)?authorization)(["']?\s*[:=]\s*)[^\r\n]+/gi, `$1$2${redacted}`],
];

/** The text without tokens of Troupe, credentials in URLs and lines of proxies, values of headers and fields that carry secrets. */
export function withoutSecrets(text: string): string {
  return secrets.reduce((clean, [pattern, instead]) => clean.replace(pattern, instead), text);
}

/** A replacer for `JSON.stringify` with the same effect on all strings, and on fields that are named as secrets. */
export function secretless(name: string, value: unknown): unknown {
  if (secretName.test(name) && value !== null && value !== "") return redacted;
  return typeof value === "string" ? withoutSecrets(value) : value;
}
