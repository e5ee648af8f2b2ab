import Typography from '@mui/material/Typography';
import type { Label } from '@storefront-commerce/client';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Advice } from '../../lib/advice.tsx';
import { Panel } from '../../lib/facts.tsx';
import { formatTime, headingOf } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { Rows } from '../../lib/rows.tsx';

/** More than anyone retries by hand. */
const shownMax = 500;

/** Labels that need attention, by reason. */
export function LabelList() {
  return (
    <>
      <PageHeading title="Labels on hold" />
      <Loaded queryKey={['labels', 'waiting']} load={readWaitingLabels}>
        {(labels) =>
          labels.length === 0 ? (
            <Typography>
              No labels are on hold. Labels that could not be bought appear here, each with its reason and what to do.
            </Typography>
          ) : (
            [...Map.groupBy(labels, ({ reason_code }) => reason_code ?? '')].map(([code, labels]) => (
              <ReasonPanel key={code} labels={labels} />
            ))
          )
        }
      </Loaded>
    </>
  );
}

async function readWaitingLabels(signal: AbortSignal): Promise<Label[]> {
  const labels: Label[] = [];
  for await (const label of admin.listLabels({ state: 'needs_attention', limit: 100 }, { signal })) {
    labels.push(label);
    if (labels.length === shownMax) break;
  }
  return labels;
}

/** The labels that wait for the same reason, and what to do about it. */
function ReasonPanel({ labels }: { readonly labels: readonly Label[] }) {
  const [first] = labels;
  return (
    <Panel title={headingOf(first?.reason ?? 'Unknown', labels.length)} actions={<RetryAll labels={labels} />}>
      <Typography sx={{ mb: 1 }}>
        <Advice next={first?.next} areas={['labels']} />
      </Typography>
      <Rows
        label="Labels"
        rows={labels}
        keyOf={({ id }) => id}
        linkOf={({ order_id }) => `/orders/${order_id}/show`}
        columns={[
          { label: 'Order', show: ({ order_number }) => order_number },
          { label: 'Since', show: ({ updated_at }) => formatTime(updated_at) },
          { label: 'Attempts', align: 'right', show: ({ tries }) => tries },
        ]}
      />
    </Panel>
  );
}

/** A worker retries all that wait for this reason, also those that the page does not show. */
function RetryAll({ labels: [first] }: { readonly labels: readonly Label[] }) {
  const navigate = useNavigate();
  return (
    <Action<object, string>
      label="Retry all"
      title={first?.reason ?? 'Retry all'}
      scope="admin.labels:write"
      variant={first?.remedy === 'retry' ? 'contained' : 'outlined'}
      text="Rates are requested again for each order, and the cheapest label is bought. You see the progress."
      run={async () => {
        const filter = first?.reason_code ? { reason_code: first.reason_code } : {};
        const { bulk_change } = await admin.previewBulkChange({ kind: 'label_retries', filter });
        await admin.runBulkChange(bulk_change.id);
        return bulk_change.id;
      }}
      onDone={(id) => navigate(`/bulk-changes/${id}/show`)}
      done="The labels are being retried."
    />
  );
}
