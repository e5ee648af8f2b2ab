import type { LabelOf } from './name-of-field.ts';

/** The labels of a form, without the stars of those that are required. */
export const labelsOf =
  (form: Element | undefined): LabelOf =>
  (source) => {
    // Within a list of inputs, only the name of an input has its place in the list.
    const named = form?.querySelector(`[name="${CSS.escape(source)}"]`)?.closest('.ra-input');
    const input = named ?? form?.querySelector(`.ra-input-${CSS.escape(source)}`);
    return input?.querySelector('.MuiFormLabel-root, label')?.textContent.replace(/\s*\*$/, '');
  };
