/** The texts between commas, each once: `wood, gift` is two. */
export const splitTexts = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => text.split(',').map((part) => part.trim())).filter(Boolean)),
];
