import anyTest, { type TestFn } from 'ava';

import { ApiError, createAdmin, createStorefront, type StorefrontOptions } from '#src/client/src/index.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

const storefrontOf = ({ api, tenant }: ApiContext, options: Partial<StorefrontOptions> = {}) =>
  createStorefront({ baseUrl: api.url, tenant: tenant.slug, ...options });

test('methods take the path and the input, and send a publishable key only where one is required', async (t) => {
  const { ctx } = t.context;
  const { slug } = await buildProduct(ctx, { name: 'Oak bowl' });
  const publishableKey = await buildKey(ctx, ['checkout:write'], 'publishable');
  const secretKey = await buildKey(ctx, ['products:read', 'cart:read', 'cart:write', 'checkout:write']);
  const items = [{ product_slug: slug, quantity: 1 }];
  t.like(await t.throwsAsync(() => storefrontOf(t.context).createCheckoutSession({ items })), { code: 'missing_key' });
  for (const key of [{}, { publishableKey }, { secretKey }]) {
    const storefront = storefrontOf(t.context, key);
    if ('publishableKey' in key || 'secretKey' in key) {
      const error = await t.throwsAsync(() => storefront.createCheckoutSession({ items }));
      t.like(error, { code: 'payment_provider_not_configured' });
    }
    t.is((await storefront.getStorefront()).storefront.slug, t.context.tenant.slug);
    const { product } = await storefront.getProduct(slug);
    t.is(product.name, 'Oak bowl');
    const { cart } = await storefront.createCart();
    const { cart: filled } = await storefront.addCartItem(cart.id, {
      variantId: product.variants[0]?.id ?? '',
      quantity: 2,
    });
    t.is(filled.itemCount, 2);
    const { cart: emptied } = await storefront.removeCartItem(cart.id, filled.items[0]?.id ?? '');
    t.is(emptied.itemCount, 0);
  }
});

test('a request whose response is lost has its effect once', async (t) => {
  const { id } = (await storefrontOf(t.context).createCart()).cart;
  const { variants } = await buildProduct(t.context.ctx);
  let lost = 0;
  const storefront = storefrontOf(t.context, {
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (response.ok && lost++ === 0) throw new TypeError('The connection was lost.');
      return response;
    },
  });
  const { cart } = await storefront.addCartItem(id, { variantId: variants[0]?.id ?? '', quantity: 1 });
  t.is(lost, 2);
  t.is(cart.itemCount, 1);
});

test('for await reads every item of every page, and a list that is awaited is its first page', async (t) => {
  const { ctx } = t.context;
  for (let number = 0; number < 5; number += 1) await buildProduct(ctx);
  const admin = createAdmin({ baseUrl: t.context.api.url, secretKey: await buildKey(ctx, ['admin:read']) });
  for (const list of [
    () => storefrontOf(t.context).listProducts({ limit: 2 }),
    () => admin.listProducts({ limit: 2 }),
  ]) {
    const slugs: string[] = [];
    for await (const product of list()) slugs.push(product.slug);
    t.is(slugs.length, 5);
    t.is(new Set(slugs).size, 5);
    const { products, cursor } = await list();
    t.deepEqual(
      products.map(({ slug }) => slug),
      slugs.slice(0, 2),
    );
    t.is(typeof cursor, 'string');
  }
});

test('a page that fails ends for await with the error', async (t) => {
  const request = async () => {
    for await (const product of storefrontOf(t.context).listProducts({ cursor: 'from elsewhere' }))
      t.fail(product.slug);
  };
  t.like(await t.throwsAsync(request), { code: 'invalid_cursor', status: 400 });
});

test('an error has its code, its status, its request, every problem and further fields', async (t) => {
  const storefront = storefrontOf(t.context);
  const invalid = await t.throwsAsync<ApiError>(() => storefront.createLead({ email: 'nowhere' }));
  t.true(invalid instanceof ApiError);
  t.like(invalid, { code: 'invalid_request', status: 400, message: invalid.detail });
  t.regex(invalid.requestId ?? '', /^req_/);
  t.true(invalid.errors.some(({ path }) => path === '/email'));
  t.like(await t.throwsAsync(() => storefront.getProduct('no/such product')), { code: 'not_found', errors: [] });

  const admin = createAdmin({ baseUrl: t.context.api.url, secretKey: await buildKey(t.context.ctx, ['orders:read']) });
  const denied = await t.throwsAsync<ApiError>(() => admin.listOrders());
  t.like(denied, { code: 'insufficient_scope', status: 403, body: { required_scope: 'admin.orders:read' } });
});

test('the API by its paths is authenticated and repeated like the methods', async (t) => {
  const { slug } = await buildProduct(t.context.ctx);
  const { http } = storefrontOf(t.context);
  const { data } = await http.GET('/api/v1/products/{slug}', { params: { path: { slug } } });
  t.is(data?.product.slug, slug);
  const { error, response } = await http.GET('/api/v1/products/{slug}', { params: { path: { slug: 'none' } } });
  t.is(error?.error, 'not_found');
  t.is(response.status, 404);
  const created = await http.POST('/api/v1/cart', { body: {} });
  t.is(created.data?.cart.itemCount, 0);
});
