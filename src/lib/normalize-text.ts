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
    .replace(/[ßæœøłđðþıςةىـ]/g, (character) => plainCharacters[character] ?? character)
    .replace(/[ァ-ヶ]/g, (katakana) => String.fromCharCode(katakana.charCodeAt(0) - hiraganaBefore))
    .replace(/[٠-٩۰-۹๐-๙]/g, (digit) => String(digit.charCodeAt(0) % 16));
}

/** How far before the katakana is the hiragana of the same sound: shoppers type the one for the other. */
const hiraganaBefore = 0x60;

/**
 * How letters are written without accents that Unicode does not take apart, a sigma that does not end a word, and Arabic
 * as it is typed in haste: with one letter for the two that end words, and without the line that stretches them.
 */
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
  ة: 'ه',
  ى: 'ي',
  ـ: '',
};
