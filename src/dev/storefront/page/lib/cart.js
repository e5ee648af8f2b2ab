import { ApiError } from '/client.js';
import { recordEvent } from './analytics.js';
import { storefront } from './api.js';
import { storage, tabStorage } from './storage.js';

const cartKey = 'cart';
const draftKey = 'checkout';

/** The cart of the last response; undefined when there is none. */
let current;
const watchers = new Set();

/** Call back whenever the cart changes, and once now. */
export function watchCart(callback) {
  watchers.add(callback);
  callback(current);
}

/** The shopper's cart. A deleted or purchased one is cleared. */
export async function readCart() {
  const id = storage.getItem(cartKey);
  if (!id) return show(undefined);
  try {
    const { cart } = await storefront.getCart(id);
    return cart.status === 'active' ? show(cart) : clearCart();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return clearCart();
    throw error;
  }
}

/** Add a line to the cart; create a cart if there is none. */
export async function addToCart(line) {
  await readCart();
  const id = current?.id ?? (await storefront.createCart()).cart.id;
  storage.setItem(cartKey, id);
  const { cart } = await storefront.addCartItem(id, line);
  recordEvent('cart_item_added', { cart_id: id, variant_id: line.variantId });
  return show(cart);
}

/** Change the quantity of a line; 0 removes it. */
export async function changeLine(lineId, quantity) {
  if (quantity === 0) await storefront.removeCartItem(current.id, lineId);
  else await storefront.updateCartItem(current.id, lineId, { quantity });
  return readCart();
}

export function clearCart() {
  storage.removeItem(cartKey);
  tabStorage.removeItem(draftKey);
  return show(undefined);
}

/** What the shopper has typed before the checkout: email and codes. */
export function readDraft() {
  return JSON.parse(tabStorage.getItem(draftKey) ?? '{}');
}

export function storeDraft(changes) {
  tabStorage.setItem(draftKey, JSON.stringify({ ...readDraft(), ...changes }));
}

function show(cart) {
  current = cart;
  for (const callback of watchers) callback(cart);
  return cart;
}
