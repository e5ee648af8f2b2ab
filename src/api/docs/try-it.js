/*
 * Lets a reader of the page send an operation's request. The page is complete without it; the API document is read when
 * the first form is opened.
 */
let loaded;
const loadDocument = async () => (loaded ??= await (await fetch('/api/v1/openapi.json')).json());

for (const article of document.querySelectorAll('article[data-path]')) {
  const summary = article.querySelector('h3').textContent;
  const open = element('button', { type: 'button', textContent: 'Try it', ariaLabel: `Try it: ${summary}` });
  open.addEventListener('click', async () => {
    try {
      const form = formOf(article.id, article.dataset, await loadDocument());
      open.replaceWith(form);
      form.querySelector('input, textarea, button').focus();
    } catch (error) {
      open.textContent = `Try it again (${error.message})`;
      open.ariaLabel = `${open.textContent}: ${summary}`;
    }
  });
  article.querySelector('.example').append(open);
}

function formOf(id, { method, path }, { paths, components }) {
  const { parameters, requestBody, security } = paths[path][method];
  const named = parameters.map((each) => (each.$ref ? components.parameters[each.$ref.split('/').at(-1)] : each));
  const [json] = Object.values(requestBody?.content ?? {});

  const form = element('form', { className: 'try' });
  const field = (name, label, input) => {
    Object.assign(input, { id: `${id}-${name}`, name, spellcheck: false, autocomplete: 'off' });
    form.append(element('label', { htmlFor: input.id, textContent: label }), input);
    return input;
  };
  const remembered = (name, label, placeholder) => {
    const input = field(name, label, element('input', { placeholder, value: sessionStorage.getItem(name) ?? '' }));
    input.addEventListener('change', () => {
      if (isForTests(input.value)) sessionStorage.setItem(name, input.value);
    });
  };
  if (named.some(({ name }) => name === 'x-tenant-slug')) remembered('x-tenant-slug', 'Store', 'cedar-and-clay');
  if (security.some((way) => way.key)) remembered('key', 'Test key', 'sk_test_… or pk_test_…');
  if (security.some((way) => way.session)) remembered('session', "Customer's session", 'eyJ…');
  for (const { name, in: place, required, example } of named) {
    if (name === 'x-tenant-slug') continue;
    const input = field(`${place} ${name}`, name, element('input', { placeholder: String(example ?? '') }));
    input.required = required;
  }
  if (json) field('body', 'Body', element('textarea', { rows: 8, value: JSON.stringify(json.example, null, 2) }));
  const send = element('button', { textContent: 'Send' });
  const output = element('pre', { className: 'output' });
  output.setAttribute('aria-live', 'polite');
  form.append(send, output);

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (send.ariaDisabled === 'true') return;
    // It keeps the focus, which `disabled` takes away.
    send.ariaDisabled = 'true';
    output.textContent = await sendRequest(method, path, new FormData(form)).catch((error) => error.message);
    send.ariaDisabled = 'false';
  });
  return form;
}

/** @returns the response as text, or what prevents the request */
async function sendRequest(method, path, filled) {
  const [key, session] = ['key', 'session'].map((name) => filled.get(name)?.trim());
  if (!isForTests(key) || !isForTests(session)) return 'This page sends test keys only. Nothing was sent.';
  const partsIn = (place) =>
    [...filled].flatMap(([name, value]) =>
      name.startsWith(`${place} `) && value ? [[name.split(' ')[1], value]] : [],
    );
  const inPath = Object.fromEntries(partsIn('path'));
  if (Object.values(inPath).some((value) => /^\.{1,2}$/.test(value)))
    return 'A path cannot contain this. Nothing was sent.';
  const url = new URL(
    path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath[name])),
    location.origin,
  );
  for (const [name, value] of partsIn('query')) url.searchParams.append(name, value);
  const token = session || key;
  const slug = filled.get('x-tenant-slug')?.trim();
  const body = filled.get('body');
  const began = performance.now();
  const response = await fetch(url, {
    method: method.toUpperCase(),
    credentials: 'omit',
    redirect: 'manual',
    headers: {
      ...Object.fromEntries(partsIn('header')),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(slug && { 'x-tenant-slug': slug }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body }),
  });
  const text = await response.text();
  const seconds = ((performance.now() - began) / 1000).toFixed(2);
  if (response.type === 'opaqueredirect') return `A redirect to another page (${seconds} s)`;
  return `${response.status} ${response.headers.get('x-request-id') ?? ''} (${seconds} s)\n\n${pretty(text)}`;
}

/** A key is `sk_test_…` or `pk_test_…`; keys of the live environment have no such part. */
function isForTests(secret) {
  return !/^[sp]k_/.test(secret?.trim() ?? '') || /^[sp]k_test_/.test(secret.trim());
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text || 'No body.';
  }
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
