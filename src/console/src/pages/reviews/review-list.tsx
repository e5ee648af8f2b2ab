import type { ManagedReview } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Buttons } from '../../lib/buttons.tsx';
import { choicesOf, formatTime, isolate } from '../../lib/format.ts';
import { SelectInput } from '../../lib/inputs.tsx';
import { Listing } from '../../lib/listing.tsx';
import { LongText, State } from '../../lib/texts.tsx';

const filters = [
  <SelectInput
    key="status"
    source="status"
    label="Status"
    choices={choicesOf(['pending', 'approved', 'rejected'])}
    alwaysOn
  />,
];

export function ReviewList() {
  return (
    <Listing<ManagedReview>
      title="Reviews"
      empty="Reviews wait here for your approval before other shoppers see them."
      filters={filters}
      linkOf={({ product_slug }) => `/products/${product_slug}/show`}
      columns={[
        { label: 'Product', show: ({ product_slug }) => product_slug },
        { label: 'Rating', show: ({ rating }) => `${rating} of 5` },
        {
          label: 'Review',
          show: ({ title, body }) => <LongText>{[title, body].filter(Boolean).join(': ')}</LongText>,
        },
        { label: 'By', show: describeAuthor },
        { label: 'Written', show: ({ created_at }) => formatTime(created_at) },
        { label: 'Status', show: ({ status }) => <State code={status} /> },
        { label: 'Moderate', show: (review) => <ReviewActions review={review} /> },
      ]}
    />
  );
}

function describeAuthor({ author_name: name, verified_purchase: isVerified, ...review }: ManagedReview): string {
  const bought = isVerified && ', who bought it';
  const wroteMore = review.other_approved && ', of whom another review is approved';
  return bought || wroteMore ? [isolate(name), bought, wroteMore].filter(Boolean).join('') : name;
}

function ReviewActions({ review: { id, status, other_approved: isFurther } }: { readonly review: ManagedReview }) {
  return (
    <Buttons>
      {status !== 'approved' && (
        <Action
          label="Approve"
          scope="admin.content:write"
          text={`Everyone sees it with the product${isFurther ? ', beside another one with the same email' : ''}.`}
          run={() => admin.approveReview(id)}
          done="Review approved."
        />
      )}
      {status !== 'rejected' && (
        <Action
          label="Reject"
          scope="admin.content:write"
          color="error"
          text="Shoppers will not see it."
          run={() => admin.rejectReview(id)}
          done="Review rejected."
        />
      )}
    </Buttons>
  );
}
