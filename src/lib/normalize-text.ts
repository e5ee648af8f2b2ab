/** Text without case and accents, for sorting and searching, independent of the machine's locale. */
export const normalizeText = (text: string): string => plainText(text, /\p{Mark}/gu);

/** The same of a name, with the vowels and tones that are marks in the scripts of India and Southeast Asia. */
export const normalizeName = (name: string): string => plainText(name, accents);

/** Of Latin, Greek, Cyrillic, Arabic and Hebrew letters, and the dots below Indian ones. */
const accents =
  /(?=\p{Mark})[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc]/gu;

function plainText(text: string, leftOut: RegExp): string {
  return text
    .normalize('NFKD')
    .replace(leftOut, '')
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
