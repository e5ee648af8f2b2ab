/**
 * What is wrong with an input, as a whole sentence. A detail begins with a capital where it is one by itself; otherwise
 * it says what the place must be.
 */
export function issueMessage(place: string, detail: string): string {
  const text = /^\p{Lu}/u.test(detail) ? detail : [place, detail].filter(Boolean).join(' ');
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** What is wrong with a whole input, by the first of its issues: "email is required.", "/items/0/quantity is required." */
export function summarizeIssues([first]: readonly { path: string; detail: string }[], whole: string): string {
  const { path, detail } = first ?? { path: '', detail: 'is not valid' };
  const isNested = path.lastIndexOf('/') > 0;
  return issueMessage(path === '' ? whole : isNested ? path : path.slice(1), detail);
}
