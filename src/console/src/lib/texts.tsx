import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import type { AuditEntry } from '@storefront-commerce/client';
import { Fragment, type ReactNode } from 'react';

import { asWritten } from './facts.tsx';
import { formatCode } from './format.ts';

/** A URL that breaks before a part of its path instead of within a word. */
export function BreakableUrl({ url }: { url: string }): ReactNode {
  return url.split(/(?<=\/)(?=[^/])/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}

/** What anybody wrote in the storefront: a long one scrolls, and the other rows of its list stay in sight. */
export function LongText({ children: text }: { children: string | null }): ReactNode {
  if (!text || text.length <= shortCharactersMax) return text;
  return (
    <Box tabIndex={0} sx={{ maxHeight: 120, overflowY: 'auto', ...asWritten }}>
      {text}
    </Box>
  );
}

const shortCharactersMax = 200;

/** Who did something: the name, where there is one. */
export const nameOf = ({ kind, id, name }: AuditEntry['actor']): string => name ?? `${kind} ${id}`;

const colors: Readonly<Record<string, 'success' | 'warning' | 'error'>> = {
  ...toAll('success', ['paid', 'delivered', 'approved', 'active', 'published', 'enabled', 'purchased', 'sent']),
  ...toAll('warning', [
    'needs_attention',
    'blocked',
    'requested',
    'pending',
    'past_due',
    'new',
    'payment_failed',
    'exception',
    'dispute_open',
  ]),
  ...toAll('error', ['failed', 'refused', 'disabled', 'rejected', 'bounced', 'dispute_lost']),
};

/** A state of the API, as a word that its color only repeats. */
export function State({ code }: { code: string }) {
  return <Chip size="small" variant="outlined" label={formatCode(code)} color={colors[code] ?? 'default'} />;
}

function toAll<Value>(value: Value, codes: readonly string[]): Record<string, Value> {
  return Object.fromEntries(codes.map((code) => [code, value]));
}
