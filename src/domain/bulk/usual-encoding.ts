/** What Windows writes text in, where it is not Windows-1252, by language. Chinese and Serbian have two scripts. */
const encodings: Readonly<Record<string, readonly string[]>> = {
  'Windows-1250': ['bs', 'cs', 'hr', 'hu', 'pl', 'ro', 'sk', 'sl', 'sq', 'sr-Latn'],
  'Windows-1251': ['be', 'bg', 'kk', 'ky', 'mk', 'mn', 'ru', 'sr-Cyrl', 'tg', 'tt', 'uk'],
  'Windows-1253': ['el'],
  'Windows-1254': ['az', 'tr'],
  'Windows-1255': ['he'],
  'Windows-1256': ['ar', 'fa', 'ur'],
  'Windows-1257': ['et', 'lt', 'lv'],
  'Windows-1258': ['vi'],
  'Windows-874': ['th'],
  Shift_JIS: ['ja'],
  'EUC-KR': ['ko'],
  Big5: ['zh-Hant'],
  GB18030: ['zh-Hans'],
};

const byLanguage = new Map(
  Object.entries(encodings).flatMap(([encoding, languages]) => languages.map((language) => [language, encoding])),
);

/** The encoding in which spreadsheets save a file that is not in Unicode, in a locale such as `tr-TR`. */
export function usualEncodingOf(locale: string): string {
  const { language, script } = new Intl.Locale(locale).maximize();
  return byLanguage.get(`${language}-${script}`) ?? byLanguage.get(language) ?? 'Windows-1252';
}
