import type { IncomingHttpHeaders } from 'node:http';

import type { Account } from '../account.ts';
import type { SimulatorState } from '../world.ts';
import { RejectionKind } from './refusal.ts';

/** The account behind an Authorization header; every well-formed secret key has one. */
export function authenticate(world: SimulatorState, headers: IncomingHttpHeaders): Account {
  const key = keyOf(headers.authorization ?? '');
  if (key === '') {
    throw unauthorized(
      'You did not provide an API key. You need to provide your API key in the Authorization header, ' +
        "using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  }
  if (key.startsWith('pk_')) {
    throw unauthorized(
      'This API call cannot be made with a publishable API key. Please use a secret API key.',
      'secret_key_required',
    );
  }
  if (!/^(sk|rk)_(test|live)_\w+$/.test(key)) throw unauthorized(`Invalid API Key provided: ${masked(key)}`);
  if (key.includes('revoked')) throw unauthorized(`Expired API Key provided: ${masked(key)}`, 'api_key_expired');
  const account = world.account(key);
  const other = headers['stripe-account'];
  if (other !== undefined && other !== account.id) {
    throw new RejectionKind(
      403,
      `The provided key '${masked(key)}' does not have access to account '${String(other)}' ` +
        '(or that account does not exist). Application access may have been revoked.',
      { code: 'account_invalid' },
    );
  }
  return account;
}

function keyOf(authorization: string): string {
  const [scheme = '', credentials = ''] = authorization.split(' ');
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme.toLowerCase() !== 'basic') return '';
  return Buffer.from(credentials, 'base64').toString().split(':')[0] ?? '';
}

function masked(key: string): string {
  return `${key.slice(0, 8)}${'*'.repeat(Math.max(0, key.length - 12))}${key.slice(-4)}`;
}

function unauthorized(message: string, code?: string): RejectionKind {
  return new RejectionKind(401, message, code ? { code } : {});
}
