/** PostgreSQL's text search configurations, by language. */
const configs: Readonly<Record<string, string>> = {
  ar: 'arabic',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  fi: 'finnish',
  fr: 'french',
  hu: 'hungarian',
  it: 'italian',
  nb: 'norwegian',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sv: 'swedish',
  tr: 'turkish',
};

/** The text search configuration of a locale such as `en-US`: `simple`, without stemming, for other languages. */
export function textConfig(locale: string): string {
  return configs[locale.split('-')[0]?.toLowerCase() ?? ''] ?? 'simple';
}
