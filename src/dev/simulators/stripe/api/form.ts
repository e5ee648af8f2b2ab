import { invalid } from './error.ts';

/** A decoded form: every leaf is a string, every branch an object, lists have the keys 0, 1, 2 … */
export interface Form {
  [key: string]: string | Form;
}

const pairsMax = 10_000;
const depthMax = 12;

/** Decode `a[b][0][c]=d&e[]=f`, as Stripe's libraries encode parameters. */
export function parseForm(text: string): Form {
  const form = emptyForm();
  if (text === '') return form;
  const pairs = text.split('&');
  if (pairs.length > pairsMax) throw invalid('Too many parameters.');
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    place(form, pathOf(name), equals < 0 ? '' : decode(pair.slice(equals + 1)));
  }
  return form;
}

function place(form: Form, path: readonly string[], value: string): void {
  let branch = form;
  path.forEach((segment, depth) => {
    const key = segment === '' ? String(Object.keys(branch).length) : segment;
    if (depth === path.length - 1) {
      branch[key] = value;
      return;
    }
    const existing = branch[key];
    const next = typeof existing === 'object' ? existing : emptyForm();
    branch[key] = next;
    branch = next;
  });
}

function pathOf(name: string): string[] {
  const bracket = name.indexOf('[');
  if (bracket <= 0) return [name];
  const path = [
    name.slice(0, bracket),
    ...[...name.slice(bracket).matchAll(/\[([^[\]]*)\]/g)].map(([, key]) => key ?? ''),
  ];
  if (path.length > depthMax) throw invalid('Parameters are nested too deeply.', path[0]);
  return path;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid('Invalid percent-encoding in the request.');
  }
}

// Without a prototype a parameter called `constructor` is only an unknown parameter.
function emptyForm(): Form {
  return Object.create(null);
}
