import { settings } from './api.js';

const sessionKey = 'visit';

/** One visit: what happens in this tab belongs together. */
export function visit() {
  const known = sessionStorage.getItem(sessionKey) ?? crypto.randomUUID();
  sessionStorage.setItem(sessionKey, known);
  return known;
}

/** Tell the shop what happened. It never waits for an answer, and survives the page. */
export function tell(type, fields = {}) {
  const event = {
    event_id: crypto.randomUUID(),
    type,
    occurred_at: new Date().toISOString(),
    session_id: visit(),
    ...fields,
  };
  const address = `${settings.api}/analytics/events?tenant=${encodeURIComponent(settings.slug)}`;
  navigator.sendBeacon(address, JSON.stringify({ events: [event] }));
}
