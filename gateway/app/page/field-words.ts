/** Names of the API's fields in errors of the service, as the forms of this page call them. */
const labels: Record<string, string> = {
  content_dataset_id: "Content dataset",
  cron_expr: "Cron expression",
  daily_hour: "Time of day",
  daily_minute: "Time of day",
  identity_dataset_id: "Identity dataset",
  interval_minutes: "Every",
  interval_unit: "Unit",
  name_template: "Name",
  profile_ids: "Profiles",
  run_at: "Date and time",
  script_id: "Script",
  stagger_ms: "Delay between starts",
  weekly_day: "Day of the week",
};

const names = new RegExp(`\\b(?:${Object.keys(labels).join("|")})\\b`, "g");

/** Such as `“Cron expression” must be …` for `cron_expr must be …`. */
export function inPageWords(error: string): string {
  return error.replace(names, (name) => `“${labels[name]}”`);
}
