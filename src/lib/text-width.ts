/** What takes two columns where letters have one width: Chinese, Japanese and Korean, full width, and emoji. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u30ff\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/u;
/** The half width of Japanese letters. */
const half = /[\uff61-\uff9f]/;
/** Not a letter or a sign of its own: a part of the one before, or unseen. */
const none = /^[\p{Mn}\p{Me}\p{Cf}]/u;

const segmenter = new Intl.Segmenter();

/** The columns that a text takes where letters have one width, as in a terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    if (!none.test(segment)) width += wide.test(segment) && !half.test(segment) ? 2 : 1;
  }
  return width;
}
