import type { Page } from 'playwright-core';

/**
 * Evaluated in a page: at each press of Tab, note what has the focus, whether it can be seen, and, once it has lost the
 * focus again, whether it looked otherwise with it.
 */
const watchFocus = `{
  const properties = ['outlineStyle', 'outlineColor', 'boxShadow', 'borderColor', 'borderWidth', 'backgroundColor',
    'textDecorationLine', 'transform', 'opacity'];
  const styleOf = (stop) => {
    const frame = stop.closest('.MuiInputBase-root, .MuiSwitch-root, .MuiCheckbox-root, .MuiRadio-root, label') ?? stop;
    return JSON.stringify([frame, ...frame.querySelectorAll('*')].slice(0, 12).flatMap((node) =>
      [null, '::before', '::after'].map((part) => {
        const computed = getComputedStyle(node, part);
        return properties.map((name) => computed[name]);
      })));
  };
  const isSeen = (stop) => {
    const { left, top, width, height } = stop.getBoundingClientRect();
    // The tooltip of the stop before may still be leaving.
    const shown = document.elementsFromPoint(left + Math.min(width, innerWidth) / 2, top + Math.min(height, 20) / 2)
      .find((part) => !part.closest('[role=tooltip]')) ?? null;
    const parts = [stop, stop.closest('.MuiFormControl-root') ?? stop, ...(stop.labels ?? [])];
    return parts.some((part) => part.contains(shown)) || (shown !== document.body && shown?.contains(stop));
  };
  window.focusWalk = { names: [], problems: [], hasLeft: false };
  // One of each kind is enough.
  window.kindsOfStops ??= new Set();
  let last;
  window.noteFocus = () => {
    const stop = document.activeElement;
    const { names, problems } = window.focusWalk;
    if (last?.stop === stop) return;
    if (last && last.stop.isConnected && styleOf(last.stop) === last.style)
      problems.push('looks the same with the focus: ' + last.name);
    last = undefined;
    const isIn = stop.closest('#main-content, [role=dialog]') !== null;
    const name = stop.tagName + ' ' + (stop.getAttribute('aria-label') ?? stop.labels?.[0]?.textContent ?? stop.textContent).slice(0, 40);
    window.focusWalk.hasLeft ||= !isIn;
    if (window.focusWalk.hasLeft || stop.tagName === 'H1') return;
    const kind = [stop.tagName, stop.type, stop.className].join(' ');
    if (!window.kindsOfStops.has(kind)) last = { stop, name, style: styleOf(stop) };
    window.kindsOfStops.add(kind);
    names.push(name);
    if (!isSeen(stop)) problems.push('cannot be seen with the focus: ' + name);
  };
  window.addEventListener('keydown', window.noteFocus, true);
}`;

interface FocusWalk {
  readonly names: readonly string[];
  readonly problems: readonly string[];
}

/** Goes with Tab from the heading of a page of the console to its end. @returns what is wrong with the focus there */
export async function walkByTab(page: Page): Promise<string[]> {
  await page.evaluate(watchFocus);
  await page.evaluate("document.querySelector('h1').focus()");
  // A time has several parts.
  const stopsMax = await page.evaluate<number>(
    "document.querySelectorAll('main :is(a, button, input, textarea, summary, [tabindex])').length + 40",
  );
  const isInside = '(window.noteFocus(), !window.focusWalk.hasLeft)';
  let presses = 0;
  do for (const _ of Array.from({ length: 10 })) await page.keyboard.press('Tab');
  while ((presses += 10) < stopsMax && (await page.evaluate<boolean>(isInside)));
  const { names, problems } = await page.evaluate<FocusWalk>('window.focusWalk');
  await page.evaluate("window.removeEventListener('keydown', window.noteFocus, true)");
  const trap = presses < stopsMax ? [] : [`the focus does not leave ${names.at(-1)}`];
  return [...new Set(problems), ...trap];
}
