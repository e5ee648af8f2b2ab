import { recordEvent } from '../lib/analytics.js';
import { storefront } from '../lib/api.js';
import { addToCart } from '../lib/cart.js';
import { el, field, form } from '../lib/element.js';
import { day, money, rhythms, store } from '../lib/store.js';
import { categoryPath, nameOf } from './products.js';

const stockWords = {
  in_stock: 'In stock',
  low_stock: 'Only a few left',
  out_of_stock: 'Sold out',
  backorder: 'Made to order: takes a little longer',
};

/** One product: pictures, price and the button that adds it to the cart. */
export async function productView({ slug }) {
  const [{ product }, { reviews }] = await Promise.all([
    storefront.getProduct(slug),
    storefront.listProductReviews(slug, { limit: 10 }),
  ]);
  recordEvent('product_viewed', { product_slug: slug });
  return {
    title: `${product.name} · ${store.name}`,
    node: [
      el(
        'div',
        { class: 'product' },
        gallery(product),
        el(
          'div',
          {},
          product.category &&
            el('p', { class: 'crumb' }, el('a', { href: categoryPath(product.category) }, nameOf(product.category))),
          el('h1', {}, product.name),
          product.rating.count > 0 &&
            el(
              'p',
              { class: 'soft' },
              `${stars(product.rating.average)} ${product.rating.average.toFixed(1)} from ${product.rating.count}`,
            ),
          el('p', { class: 'description' }, product.description),
          offer(product),
        ),
      ),
      store.features.reviews && reviewsOf(product, reviews),
    ].filter(Boolean),
  };
}

function gallery({ images, name }) {
  const [first] = images;
  const large = el('img', { class: 'large', src: first?.url, alt: first?.alt ?? name, width: 800, height: 800 });
  const small = (image, index) =>
    el(
      'button',
      {
        type: 'button',
        'aria-label': `Show picture ${index + 1}`,
        'aria-pressed': index === 0,
        onclick({ currentTarget }) {
          large.src = image.url;
          large.alt = image.alt;
          for (const other of currentTarget.parentElement.children)
            other.setAttribute('aria-pressed', String(other === currentTarget));
        },
      },
      el('img', { src: image.url, alt: '', width: 80, height: 80 }),
    );
  return el(
    'div',
    { class: 'gallery' },
    first && large,
    images.length > 1 && el('div', { class: 'thumbs' }, images.map(small)),
  );
}

/** Variant, one-time or subscription, and quantity; the price follows the choice. */
function offer(product) {
  const { variants } = product;
  const price = el('p', { class: 'price', 'aria-live': 'polite' });
  const stock = el('p', { class: 'stock' });
  const waitlist = el('div');
  const button = el('button', { class: 'main' }, 'Add to cart');
  const added = el('p', { class: 'done', role: 'status' });

  const node = form(
    { class: 'offer' },
    async (values) => {
      added.replaceChildren();
      const [purchaseType, subscriptionInterval] = (values.purchase ?? 'one_time').split(':');
      const variant = variantOf(values);
      await addToCart({
        variantId: variant.id,
        quantity: Number(values.quantity),
        unitPriceCents: unitPrice(variant, purchaseType),
        purchaseType,
        ...(subscriptionInterval && { subscriptionInterval }),
      });
      added.replaceChildren('Added to your cart. ', el('a', { href: '/cart' }, 'Go to the cart'));
    },
    variants.length > 1 &&
      choices(
        'Choose',
        'variant',
        variants.map((variant) => ({ value: variant.id, name: variant.name })),
      ),
    product.subscription_intervals.length > 0 &&
      choices('How often', 'purchase', [
        ...(product.purchase_types.includes('one_time') ? [{ value: 'one_time', name: 'Once' }] : []),
        ...product.subscription_intervals.map((interval) => ({
          value: `subscription:${interval}`,
          name: nameOf(rhythms[interval]),
        })),
      ]),
    price,
    stock,
    el(
      'div',
      { class: 'buy' },
      field('Quantity', {
        name: 'quantity',
        type: 'number',
        min: 1,
        max: 99,
        value: 1,
        required: true,
        inputmode: 'numeric',
      }),
      button,
    ),
    added,
  );

  const variantOf = ({ variant: id }) => variants.find((variant) => variant.id === id) ?? variants[0];
  const follow = () => {
    const values = Object.fromEntries(new FormData(node));
    const variant = variantOf(values);
    const isSubscription = values.purchase?.startsWith('subscription') ?? false;
    const isOut = variant.stock_status === 'out_of_stock';
    const before = !isSubscription && variant === variants[0] ? product.compare_at_cents : null;
    price.replaceChildren(
      money(unitPrice(variant, isSubscription ? 'subscription' : 'one_time')),
      ...(before ? [' ', el('s', {}, money(before))] : []),
    );
    stock.textContent = stockWords[variant.stock_status];
    stock.className = `stock ${variant.stock_status}`;
    button.disabled = isOut;
    waitlist.replaceChildren(...(isOut ? [waitlistForm(product, variant)] : []));
  };
  node.addEventListener('change', follow);
  follow();
  return el('div', {}, node, waitlist);
}

const unitPrice = (variant, purchaseType) =>
  purchaseType === 'subscription' ? (variant.subscription_price_cents ?? variant.price_cents) : variant.price_cents;

function choices(legend, name, options) {
  return el(
    'fieldset',
    { class: 'choices' },
    el('legend', {}, legend),
    options.map((option, index) =>
      el(
        'label',
        {},
        el('input', { type: 'radio', name, value: option.value, checked: index === 0 }),
        el('span', {}, option.name),
      ),
    ),
  );
}

function waitlistForm(product, variant) {
  const node = form(
    { class: 'note' },
    async ({ email }) => {
      await storefront.joinWaitlist({ email, product_slug: product.slug, variant_id: variant.id });
      node.replaceChildren(el('p', { class: 'done', role: 'status' }, 'We will email you when it is back.'));
    },
    el('p', {}, 'We can email you when it is back.'),
    el(
      'div',
      { class: 'row' },
      field('Email', { name: 'email', type: 'email', autocomplete: 'email', required: true }),
      el('button', {}, 'Notify me'),
    ),
  );
  return node;
}

function reviewsOf(product, reviews) {
  const write = form(
    { class: 'review-form' },
    async (values) => {
      await storefront.createProductReview(product.slug, { ...values, rating: Number(values.rating) });
      write.replaceChildren(
        el(
          'p',
          { class: 'done', role: 'status' },
          'Thank you. Your review will be shown once the store has approved it.',
        ),
      );
    },
    el(
      'div',
      { class: 'pair' },
      field('Your name', { name: 'author_name', autocomplete: 'name', required: true, maxlength: 100 }),
      field('Email', { name: 'email', type: 'email', autocomplete: 'email', required: true }, 'It is not shown.'),
    ),
    choices(
      'Rating',
      'rating',
      [5, 4, 3, 2, 1].map((value) => ({ value, name: stars(value) })),
    ),
    field('Title', { name: 'title', required: true, maxlength: 120 }),
    field('Your review', { name: 'body', required: true, maxlength: 2000 }),
    el('button', {}, 'Send'),
  );
  return el(
    'section',
    { class: 'reviews' },
    el('h2', {}, 'Reviews'),
    reviews.length === 0 && el('p', { class: 'soft' }, 'No reviews yet.'),
    reviews.map((review) =>
      el(
        'article',
        {},
        el('p', { class: 'rating', role: 'img', 'aria-label': `${review.rating} of 5 stars` }, stars(review.rating)),
        el('h3', {}, review.title),
        el('p', {}, review.body),
        el(
          'p',
          { class: 'soft' },
          `${review.author_name}, ${day(review.created_at)}${review.verified_purchase ? ' · bought here' : ''}`,
        ),
      ),
    ),
    el('details', {}, el('summary', {}, 'Write a review'), write),
  );
}

const stars = (rating) => '★'.repeat(Math.round(rating)) + '☆'.repeat(5 - Math.round(rating));
