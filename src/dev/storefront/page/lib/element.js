/**
 * Make an element. What begins with `on` is a listener; what is undefined, null or false is left out. Children that
 * are text stay text: nothing that the API answers can become markup.
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

/** A form whose submit is work: while it runs the button waits, and a refusal is shown as a sentence. */
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

/** What went wrong, for a person. The API's own sentences are made for that. */
export function errorMessageOf(error) {
  if (error?.name === 'ApiError') return error.message;
  console.error(error);
  return 'Something went wrong on this page. Please try again.';
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
