/** Names that stores and products may have, and that headers, markup and providers trip over. */
export const awkwardNames: readonly string[] = [
  'The "Best" Shop',
  'I <3 Bowls',
  'Smith, Jones; & Sons <x@y.example>',
  'x@y.example',
  '>',
  '"',
  '\\',
  "O'Neill's (Ltd.)",
  'Cedar\r\nBcc: evil@x.example',
  'Bell\u0007 & Tab\t',
  'Söhne 木 🌱👩‍👩‍👧',
  '🌱'.repeat(100),
  'a'.repeat(200),
  'Ünder '.repeat(33),
];
