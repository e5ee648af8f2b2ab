import { createSession, createStorefront } from '/client.js';
import { storage } from './storage.js';

/** The settings of the page: the URL of the service, the store's slug and its publishable key. */
export const settings = JSON.parse(document.getElementById('settings').textContent);

const { url: baseUrl, slug: tenant, key: publishableKey } = settings;

export const storefront = createStorefront({ baseUrl, tenant, publishableKey });
export const session = createSession(storefront, storage);
