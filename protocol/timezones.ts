/** Names of timezones. */

/** The zone's own name as this machine knows it; null for one it does not know, or a bare offset. */
export function knownTimezone(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    // The list of supportedValuesOf has one name a zone; services also use the others (Asia/Kolkata, Asia/Calcutta).
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone === "UTC" || Intl.supportedValuesOf("timeZone").includes(timeZone) ? timeZone : null;
  } catch {
    return null;
  }
}
