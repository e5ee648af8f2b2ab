/** The languages whose words PostgreSQL knows how to stem. */
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

/** How PostgreSQL reads the text of a store: in the language of its locale (`en-US`), or word for word. */
export function textConfig(locale: string): string {
  return configs[locale.split('-')[0]?.toLowerCase() ?? ''] ?? 'simple';
}
