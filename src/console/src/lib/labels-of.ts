import type { LabelOf } from './name-of-field.ts';

/** The labels of a form, without the stars of those that are required. */
export const labelsOf =
  (form: Element | undefined): LabelOf =>
  (source) =>
    form
      ?.querySelector(`.ra-input-${CSS.escape(source)} :is(.MuiFormLabel-root, label)`)
      ?.textContent.replace(/\s*\*$/, '');
