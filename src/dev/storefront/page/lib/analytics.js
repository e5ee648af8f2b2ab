import { settings } from './api.js';
import { tabStorage } from './storage.js';

const sessionKey = 'visit';

/** The id of the visit, which groups the events of this tab. */
export function visit() {
  const known = tabStorage.getItem(sessionKey) ?? crypto.randomUUID();
  tabStorage.setItem(sessionKey, known);
  return known;
}

/** Send an analytics event without waiting for the response, even while the page is being closed. */
export function recordEvent(type, fields = {}) {
  const event = {
    event_id: crypto.randomUUID(),
    type,
    occurred_at: new Date().toISOString(),
    session_id: visit(),
    ...fields,
  };
  const url = `${settings.url}/api/v1/analytics/events?tenant=${encodeURIComponent(settings.slug)}`;
  navigator.sendBeacon(url, JSON.stringify({ events: [event] }));
}
