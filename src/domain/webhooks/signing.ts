import { createHmac } from 'node:crypto';

/**
 * The headers of Standard Webhooks (standardwebhooks.com), with one signature for each live secret, so that a receiver
 * can change over at any time during a rotation. `id` is the same for every attempt; `at` is the time of this one.
 */
export function sign(secrets: readonly string[], id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
