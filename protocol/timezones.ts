/** Timezone names. */

/** The zone's name on this machine; null for an unknown zone or a bare offset. */
export function knownTimezone(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    // `supportedValuesOf` has one name per zone, but services also use aliases (Asia/Kolkata, Asia/Calcutta).
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone === "UTC" || Intl.supportedValuesOf("timeZone").includes(timeZone) ? timeZone : null;
  } catch {
    return null;
  }
}
