import Button from '@mui/material/Button';
import type { AuditEntry, ManagedVariant } from '@storefront-commerce/client';
import { useState } from 'react';

import { admin } from '../../admin.ts';
import { formatTime } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { Rows } from '../../lib/rows.tsx';
import { useScope } from '../../session/session.ts';

interface Props {
  readonly variants: readonly ManagedVariant[];
}

/** Who changed the stock of these variants by hand, from the audit log. What was sold is in the orders. */
export function StockHistory({ variants }: Props) {
  const [isOpen, setOpen] = useState(false);
  if (!useScope('admin.settings:read')) return null;
  if (!isOpen) return <Button onClick={() => setOpen(true)}>Show who changed it</Button>;
  const ids = variants.map(({ id }) => id);
  return (
    <Loaded queryKey={['stock-history', ids]} load={(signal) => readHistory(ids, signal)}>
      {(entries) => (
        <Rows
          label="Changes of the stock"
          rows={entries}
          keyOf={({ id }) => id}
          empty="Nobody changed it by hand."
          columns={[
            { label: 'When', show: ({ created_at }) => formatTime(created_at) },
            { label: 'SKU', show: ({ after }) => stateOf(after).sku },
            { label: 'Before', align: 'right', show: ({ before }) => stateOf(before).quantity ?? 'Not tracked' },
            { label: 'After', align: 'right', show: ({ after }) => stateOf(after).quantity ?? 'Not tracked' },
            { label: 'By', show: ({ actor }) => `${actor.kind} ${actor.id}` },
          ]}
        />
      )}
    </Loaded>
  );
}

async function readHistory(variantIds: readonly string[], signal: AbortSignal): Promise<AuditEntry[]> {
  const pages = await Promise.all(
    variantIds.map((id) => admin.listAuditLog({ subject_kind: 'variant', subject_id: id }, { signal })),
  );
  return pages
    .flatMap(({ entries }) => entries)
    .toSorted((left, right) => right.created_at.localeCompare(left.created_at));
}

const stateOf = (state: unknown): { sku?: string; quantity?: number } => state ?? {};
