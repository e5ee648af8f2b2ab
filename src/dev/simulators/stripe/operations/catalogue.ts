import type { Price, Product } from '../objects/catalogue.ts';
import { list, type Operation, retrieve } from '../wire/operation.ts';

export const catalogue: readonly Operation[] = [
  retrieve('GET /v1/products/{id}', (account) => account.products),
  list<Product>('GET /v1/products', (account) => account.products, {
    ids: ({ id }, wanted) => Object(wanted).includes(id),
  }),
  retrieve('GET /v1/prices/{id}', (account) => account.prices),
  list<Price>('GET /v1/prices', (account) => account.prices, {
    lookup_keys: () => false,
    recurring: ({ recurring }, wanted) => recurring?.interval === Object(wanted).interval,
  }),
];
