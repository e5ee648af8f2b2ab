import { ApiError, callApi } from './api.js';

const key = 'session';
/** A session is renewed when it has less than this left. */
const marginMs = 30_000;

const storedSession = () => JSON.parse(localStorage.getItem(key) ?? 'null');

function storeSession({ session_token: token, expires_at: expiresAt, refresh_token: refresh, customer }) {
  localStorage.setItem(
    key,
    JSON.stringify({ token, expiresAt, refresh: refresh ?? storedSession()?.refresh, customer }),
  );
}

/** Email a sign-in link. The response never shows whether the email belongs to a customer. */
export const requestLink = (email) =>
  callApi('POST', '/customer/magic-link/request', { isPublic: true, body: { email, redirect_path: '/account' } });

/** Sign in with the token of an emailed link. It works once. */
export async function consumeLink(token) {
  storeSession(await callApi('POST', '/customer/magic-link/consume', { isPublic: true, body: { token } }));
}

export const isSignedIn = () => storedSession() !== null;

/** Call the API as the signed-in customer. A session that can no longer be renewed is deleted. */
export async function requestAsCustomer(method, path, body) {
  const session = await liveSession();
  try {
    return await callApi(method, path, { session, body });
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
  const session = storedSession();
  if (!session) throw new ApiError('Please sign in.', { status: 401, code: 'invalid_session' });
  if (Date.parse(session.expiresAt) - Date.now() > marginMs) return session.token;
  try {
    storeSession(
      await callApi('POST', '/customer/refresh', { isPublic: true, body: { refresh_token: session.refresh } }),
    );
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) localStorage.removeItem(key);
    throw error;
  }
  return storedSession().token;
}
