/** The parts of `Size=Small; Color=Red`: each with its name, and its value if it has one. */
export function optionPairs(text: string): (readonly [name: string, value: string | undefined])[] {
  const parts = text.split(';').filter((part) => part.trim() !== '');
  return parts.map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), value.length > 0 ? value.join('=').trim() : undefined];
  });
}
