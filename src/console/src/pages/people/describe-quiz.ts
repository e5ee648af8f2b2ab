/** The answers of a quiz, which a storefront sends in any form. */
export const describeQuiz = (answers: Readonly<Record<string, unknown>>): string =>
  Object.entries(answers)
    .map(([question, choice]) => `${question}: ${describeChoice(choice)}`)
    .join('\n');

function describeChoice(choice: unknown): string {
  if (Array.isArray(choice)) return choice.map(describeChoice).join(', ');
  return typeof choice === 'object' && choice !== null ? JSON.stringify(choice) : String(choice ?? '');
}
