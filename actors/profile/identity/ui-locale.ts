/** The interface language of Chromium for a list of preferred languages. `Intl` uses it by default. */

/** Chromium's list, without the country where a language has only one translation. */
const translated: ReadonlySet<string> = new Set(
  (
    "af am ar bg bn ca cs da de el en-GB en-US es es-419 et fa fi fil fr gu he hi hr hu id it ja kn ko lt lv ml mr ms nb nl " +
    "pl pt-BR pt-PT ro ru sk sl sr sv sw ta te th tr uk ur vi zh-CN zh-TW"
  ).split(" "),
);

/** Tags without a translation of their own, as Chromium resolves them (ui/base/l10n, CheckAndResolveLocale). */
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

/** The translation of a language's other countries, where it differs from the language's own. */
const byLanguage: Readonly<Record<string, string>> = { en: "en-GB", es: "es-419", pt: "pt-PT", zh: "zh-CN" };

/** The interface language of the first preferred language that Chromium has; null for an empty list. */
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
