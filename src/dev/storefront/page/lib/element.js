import { errorMessageOf } from './error-message.js';

/**
 * Create an element. A property that begins with `on` is a listener; undefined, null and false are left out. Text
 * children stay text, so that nothing in the API's responses can become markup.
 *
 * @param {string} name
 * @param {Record<string, unknown>} [properties]
 * @param {...unknown} children
 * @returns {HTMLElement}
 */
export function el(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return node;
}

/** A form with an asynchronous submit: its buttons are disabled meanwhile, and an error is shown as a message. */
export function form(properties, work, ...children) {
  const problem = el('p', { class: 'problem', role: 'alert', hidden: true });
  const node = el(
    'form',
    {
      ...properties,
      async onsubmit(event) {
        event.preventDefault();
        const buttons = [...node.querySelectorAll('button')];
        problem.hidden = true;
        for (const button of buttons) button.disabled = true;
        try {
          await work(Object.fromEntries(new FormData(node, event.submitter)), node);
        } catch (error) {
          problem.textContent = errorMessageOf(error);
          problem.hidden = false;
        } finally {
          for (const button of buttons) button.disabled = false;
        }
      },
    },
    children,
    problem,
  );
  return node;
}

let fields = 0;

/** A labelled input. */
export function field(label, properties, hint) {
  const id = `field-${(fields += 1)}`;
  return el(
    'div',
    { class: 'field' },
    el('label', { for: id }, label),
    el('input', { id, ...properties, 'aria-describedby': hint && `${id}-hint` }),
    hint && el('p', { class: 'hint', id: `${id}-hint` }, hint),
  );
}
