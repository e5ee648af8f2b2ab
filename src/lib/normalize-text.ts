/** Text without case and accents, for sorting and searching, independent of the machine's locale. */
export function normalizeText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþıς]/g, (character) => plainCharacters[character] ?? character);
}

/** How letters are written without accents that Unicode does not take apart, and a sigma that does not end a word. */
const plainCharacters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};
