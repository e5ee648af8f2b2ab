import { recordEvent } from '../lib/analytics.js';
import { storefront } from '../lib/api.js';
import { changeLine, readCart, readDraft, storeDraft } from '../lib/cart.js';
import { el, field, form } from '../lib/element.js';
import { go } from '../lib/router.js';
import { storage } from '../lib/storage.js';
import { money, rhythms, store } from '../lib/store.js';

const promoReasons = {
  not_applicable: 'This code does not apply to your cart.',
  expired: 'This code is no longer valid.',
  minimum_not_met: 'Your cart has not reached the minimum amount for this code.',
  usage_limit: 'This code has been used up.',
  customer_limit: 'You have used this code already.',
};

/** The cart, its discounts and the checkout. */
export async function cartView(_, query) {
  const cart = await readCart();
  const title = `Cart · ${store.name}`;
  if (!cart || cart.items.length === 0) {
    return {
      title,
      node: el(
        'div',
        { class: 'narrow empty' },
        el('h1', {}, 'Your cart is empty'),
        el('p', {}, el('a', { class: 'button', href: '/' }, 'Browse the products')),
      ),
    };
  }
  const quote = await quoteOf(cart);
  return {
    title,
    node: [
      el('h1', { class: 'page-title' }, 'Your cart'),
      query.has('canceled') &&
        el('p', { class: 'note', role: 'status' }, 'Nothing was charged. Your cart is unchanged.'),
      query.has('restored') && el('p', { class: 'note', role: 'status' }, 'Welcome back. We saved this for you.'),
      el(
        'div',
        { class: 'columns' },
        el('ul', { class: 'lines' }, cart.items.map(lineOf)),
        el(
          'aside',
          { class: 'summary', 'aria-label': 'Summary' },
          codes(quote),
          sums(cart, quote),
          checkoutForm(cart, quote),
          saveForm(cart),
        ),
      ),
    ].filter(Boolean),
  };
}

/** The effect of the entered codes on this cart, or the reason why a code has none. */
async function quoteOf(cart) {
  const { promoCode, giftCardCode, email } = readDraft();
  const promo =
    promoCode &&
    (await storefront.previewPromoCode({
      code: promoCode,
      subtotalCents: cart.subtotalCents,
      items: cart.items,
      ...(email && { customerEmail: email }),
    }));
  const discountCents = promo?.valid ? promo.discountCents : 0;
  const giftCard =
    giftCardCode &&
    (await storefront.previewGiftCard({
      code: giftCardCode,
      orderTotal: cart.subtotalCents - discountCents,
    }));
  return { promo, giftCard, discountCents, giftCardCents: giftCard?.valid ? giftCard.appliedCents : 0 };
}

function lineOf(line) {
  const { id, name, variantName, quantity, imageUrl, productSlug, purchaseType, subscriptionInterval } = line;
  const what = `${name}, ${variantName}`;
  return el(
    'li',
    {},
    el(
      'a',
      { class: 'picture', href: `/products/${productSlug}`, tabindex: -1, 'aria-hidden': 'true' },
      imageUrl && el('img', { src: imageUrl, alt: '', width: 96, height: 96 }),
    ),
    el(
      'div',
      {},
      el('a', { class: 'name', href: `/products/${productSlug}` }, name),
      el(
        'p',
        { class: 'soft' },
        [variantName, purchaseType === 'subscription' && rhythms[subscriptionInterval]].filter(Boolean).join(' · '),
      ),
      line.stockStatus === 'out_of_stock' && el('p', { class: 'problem' }, 'This is sold out.'),
      line.priceChanged && el('p', { class: 'soft' }, 'The price has changed.'),
      form(
        { class: 'quantity' },
        async (values) => {
          await changeLine(id, Number(values.quantity));
          await go('/cart', { replace: true });
        },
        stepper('−', `One fewer of ${what}`, quantity - 1),
        el('input', {
          'aria-label': `Quantity of ${what}`,
          name: 'quantity',
          type: 'number',
          min: 0,
          max: 999,
          value: quantity,
          required: true,
          inputmode: 'numeric',
          onchange: ({ target }) => target.form.requestSubmit(),
        }),
        stepper('+', `One more of ${what}`, quantity + 1),
        stepper('Remove', `Remove ${what}`, 0, 'link'),
      ),
    ),
    el('p', { class: 'amount' }, money(line.lineTotalCents)),
  );
}

/** No button that submits: the Enter key in the input would press the first one. */
function stepper(face, label, count, kind = 'step') {
  return el(
    'button',
    {
      type: 'button',
      class: kind,
      'aria-label': label,
      onclick({ currentTarget: { form } }) {
        form.elements.quantity.value = count;
        form.requestSubmit();
      },
    },
    face,
  );
}

function codes({ promo, giftCard }) {
  const again = async (changes) => {
    storeDraft(changes);
    await go('/cart', { replace: true });
  };
  const codeForm = (label, name, value, problem) =>
    form(
      { class: 'code' },
      (values) => again({ [name]: values.code.trim() || undefined }),
      el(
        'div',
        { class: 'row' },
        field(label, { name: 'code', value: value ?? '', maxlength: 100, autocomplete: 'off', spellcheck: 'false' }),
        el('button', {}, 'Apply'),
      ),
      problem && el('p', { class: 'problem', role: 'alert' }, problem),
    );
  const { promoCode, giftCardCode } = readDraft();
  return el(
    'div',
    { class: 'codes' },
    codeForm(
      'Promo code',
      'promoCode',
      promoCode,
      promo && !promo.valid && (promoReasons[promo.reason] ?? 'This code cannot be used.'),
    ),
    store.features.gift_cards &&
      codeForm(
        'Gift card',
        'giftCardCode',
        giftCardCode,
        giftCard && !giftCard.valid && 'This gift card cannot be used.',
      ),
  );
}

function sums(cart, { promo, giftCard, discountCents, giftCardCents }) {
  const row = (name, amount, kind) => el('div', { class: kind }, el('dt', {}, name), el('dd', {}, amount));
  return el(
    'dl',
    { class: 'sums' },
    row('Subtotal', money(cart.subtotalCents)),
    discountCents > 0 && row(`Discount, ${promo.code}`, `−${money(discountCents)}`),
    promo?.valid && promo.discountType === 'free_shipping' && row(`Delivery, ${promo.code}`, 'free'),
    giftCardCents > 0 && row(`Gift card ending in ${giftCard.last4}`, `−${money(giftCardCents)}`),
    row('To pay', money(cart.subtotalCents - discountCents - giftCardCents), 'total'),
    el('p', { class: 'hint' }, 'Delivery and tax are added on the next page.'),
  );
}

function checkoutForm(cart, { promo, giftCard }) {
  return form(
    { class: 'checkout' },
    async ({ email }) => {
      storeDraft({ email: email || undefined });
      // It may have been bought in another tab, or before the back button led here.
      if (!(await readCart())) return go('/cart', { replace: true });
      const begun = await storefront.createCheckoutSession({
        items: cart.items.map((line) => ({
          product_slug: line.productSlug,
          quantity: line.quantity,
          purchase_type: line.purchaseType,
          ...(line.variantId && { variant_id: line.variantId }),
          ...(line.subscriptionInterval && { subscription_interval: line.subscriptionInterval }),
        })),
        cart_id: cart.id,
        return_url: `${location.origin}/order?id={ORDER_ID}`,
        cancel_url: `${location.origin}/cart?canceled`,
        ...(email && { customer_email: email }),
        ...(promo?.valid && { promo_code: promo.code }),
        ...(giftCard?.valid && { gift_card_code: readDraft().giftCardCode }),
      });
      recordEvent('checkout_started', {
        cart_id: cart.id,
        order_id: begun.order_id,
        value_cents: begun.order.total_cents,
        currency: begun.order.currency,
      });
      storage.setItem(
        'order',
        JSON.stringify({ id: begun.order_id, number: begun.order_number, email: email || null }),
      );
      location.assign(begun.checkout_url);
      // Until the payment page is there, the button would begin another checkout, which ends this one.
      await new Promise(() => undefined);
    },
    field('Email, for the receipt', {
      name: 'email',
      type: 'email',
      autocomplete: 'email',
      value: readDraft().email ?? '',
    }),
    el('button', { class: 'main' }, 'Check out'),
  );
}

function saveForm(cart) {
  const node = form(
    {},
    async ({ email }) => {
      await storefront.saveCart({
        email,
        cart_id: cart.id,
        items: cart.items.map((line) => ({
          product_slug: line.productSlug,
          variant_id: line.variantId ?? undefined,
          name: line.name,
          quantity: line.quantity,
          unit_price_cents: line.unitPriceCents,
          purchase_type: line.purchaseType,
          subscription_interval: line.subscriptionInterval,
        })),
      });
      node.replaceChildren(el('p', { class: 'done', role: 'status' }, 'Saved. We have emailed you a link to it.'));
    },
    el(
      'div',
      { class: 'row' },
      field('Email', {
        name: 'email',
        type: 'email',
        autocomplete: 'email',
        required: true,
        value: readDraft().email ?? '',
      }),
      el('button', {}, 'Save'),
    ),
  );
  return el('details', { class: 'save' }, el('summary', {}, 'Save this cart for later'), node);
}
