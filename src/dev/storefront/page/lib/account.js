import { ApiError, ask } from './api.js';

const key = 'session';
/** A session is renewed when it has less than this left. */
const marginMs = 30_000;

const kept = () => JSON.parse(localStorage.getItem(key) ?? 'null');

function keep({ session_token: token, expires_at: expiresAt, refresh_token: refresh, customer }) {
  localStorage.setItem(key, JSON.stringify({ token, expiresAt, refresh: refresh ?? kept()?.refresh, customer }));
}

/** Mail a link to sign in. The answer never tells whether the shop knows the address. */
export const requestLink = (email) =>
  ask('POST', '/customer/magic-link/request', { isPublic: true, body: { email, redirect_path: '/account' } });

/** Sign in with the token of a mailed link. It works once. */
export async function consumeLink(token) {
  keep(await ask('POST', '/customer/magic-link/consume', { isPublic: true, body: { token } }));
}

export const isSignedIn = () => kept() !== null;

/** Ask for something of whoever is signed in. A session that cannot be renewed any more is forgotten. */
export async function requestAsCustomer(method, path, body) {
  const session = await liveSession();
  try {
    return await ask(method, path, { session, body });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) localStorage.removeItem(key);
    throw error;
  }
}

export async function signOut() {
  await requestAsCustomer('POST', '/customer/signout').catch(() => undefined);
  localStorage.removeItem(key);
}

async function liveSession() {
  const session = kept();
  if (!session) throw new ApiError('Please sign in.', { status: 401, code: 'invalid_session' });
  if (Date.parse(session.expiresAt) - Date.now() > marginMs) return session.token;
  try {
    keep(await ask('POST', '/customer/refresh', { isPublic: true, body: { refresh_token: session.refresh } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) localStorage.removeItem(key);
    throw error;
  }
  return kept().token;
}
