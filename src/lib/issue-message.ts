/**
 * What is wrong with an input, as a whole sentence. A detail begins with a capital where it is one by itself; otherwise
 * it says what the place must be.
 */
export function issueMessage(place: string, detail: string): string {
  const text = /^\p{Lu}/u.test(detail) ? detail : [place, detail].filter(Boolean).join(' ');
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
