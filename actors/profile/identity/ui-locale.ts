/** Which of Chromium's interface languages a list of preferred languages comes to: it is what `Intl` speaks by default. */

/** Chromium's own list, without the country where a language has one translation only. */
const translated: ReadonlySet<string> = new Set(
  (
    "af am ar bg bn ca cs da de el en-GB en-US es es-419 et fa fi fil fr gu he hi hr hu id it ja kn ko lt lv ml mr ms nb nl " +
    "pl pt-BR pt-PT ro ru sk sl sr sv sw ta te th tr uk ur vi zh-CN zh-TW"
  ).split(" "),
);

/** Tags that have no translation under their own name, as Chromium resolves them (ui/base/l10n, CheckAndResolveLocale). */
const elsewhere: Readonly<Record<string, string>> = {
  en: "en-US",
  "en-US": "en-US",
  es: "es",
  "es-ES": "es",
  pt: "pt-BR",
  zh: "zh-CN",
  "zh-HK": "zh-TW",
  "zh-MO": "zh-TW",
  no: "nb",
  nn: "nb",
  iw: "he",
  tl: "fil",
  in: "id",
};

/** Those of a language whose countries share another translation than the language's own. */
const byLanguage: Readonly<Record<string, string>> = { en: "en-GB", es: "es-419", pt: "pt-PT", zh: "zh-CN" };

/** The interface language of the first preferred one that Chromium speaks; null when the list is empty. */
export function uiLocaleOf(languages: readonly string[]): string | null {
  for (const tag of languages) {
    const language = tag.split("-")[0] ?? tag;
    const found =
      elsewhere[tag] ??
      (translated.has(tag) ? tag : (byLanguage[language] ?? elsewhere[language] ?? language));
    if (translated.has(found)) return found;
  }
  return languages.length === 0 ? null : "en-US";
}
