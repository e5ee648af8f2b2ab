import { tell } from './analytics.js';
import { ApiError, ask } from './api.js';

const cartKey = 'cart';
const draftKey = 'checkout';

/** The cart as it was last answered, or undefined where there is none yet. */
let current;
const watchers = new Set();

/** Call back whenever the cart changes, and once now. */
export function watchCart(callback) {
  watchers.add(callback);
  callback(current);
}

/** The shopper's cart. One that is gone, or was bought, is forgotten. */
export async function readCart() {
  const id = localStorage.getItem(cartKey);
  if (!id) return show(undefined);
  try {
    const { cart } = await ask('GET', `/cart/${id}`);
    return cart.status === 'active' ? show(cart) : clearCart();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return clearCart();
    throw error;
  }
}

/** Put something into the cart, and make one where there is none. */
export async function addToCart(line) {
  await readCart();
  const id = current?.id ?? (await ask('POST', '/cart', { body: {} })).cart.id;
  localStorage.setItem(cartKey, id);
  const { cart } = await ask('POST', `/cart/${id}/items`, { body: line });
  tell('cart_item_added', { cart_id: id, variant_id: line.variantId });
  return show(cart);
}

/** Change how many of a line there are; none removes it. */
export async function changeLine(lineId, quantity) {
  const path = `/cart/${current.id}/items/${lineId}`;
  if (quantity === 0) await ask('DELETE', path);
  else await ask('PATCH', path, { body: { quantity } });
  return readCart();
}

export function clearCart() {
  localStorage.removeItem(cartKey);
  sessionStorage.removeItem(draftKey);
  return show(undefined);
}

/** What the shopper typed on the way to the checkout: address and codes. */
export function readDraft() {
  return JSON.parse(sessionStorage.getItem(draftKey) ?? '{}');
}

export function storeDraft(changes) {
  sessionStorage.setItem(draftKey, JSON.stringify({ ...readDraft(), ...changes }));
}

function show(cart) {
  current = cart;
  for (const callback of watchers) callback(cart);
  return cart;
}
