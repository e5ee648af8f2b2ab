import { _, type Ajv2020 } from 'ajv/dist/2020.js';

/**
 * Replace a validator's keywords for the length of a text: its own count every character of a text that is thousands of
 * times as long as its bound, once for each keyword.
 */
export function replaceLengthKeywords(ajv: Ajv2020): void {
  const replace = (keyword: 'maxLength' | 'minLength', validate: (bound: number, text: string) => boolean) => {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'number',
      before: 'pattern',
      validate,
      error: { message: 'must have another length', params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
    });
  };
  replace('maxLength', (max, text) => text.length <= max || countUpTo(max + 1, text) <= max);
  replace('minLength', (min, text) => countUpTo(min, text) >= min);
}

/** The characters of a text, of which each has at most two code units: exact below this many. */
const countUpTo = (characters: number, text: string) => (text.length >= 2 * characters ? characters : [...text].length);
