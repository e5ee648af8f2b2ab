import type { Lead } from '@storefront-commerce/client';

import { formatConsent, formatTime } from '../../lib/format.ts';
import { TextInput } from '../../lib/inputs.tsx';
import { Listing } from '../../lib/listing.tsx';
import { LongText } from '../../lib/texts.tsx';
import { describeQuiz } from './describe-quiz.ts';

const filters = [<TextInput key="source" source="source" label="Source" helperText={false} alwaysOn />];

export function LeadList() {
  return (
    <Listing<Lead>
      title="Leads"
      empty="Visitors who leave their email in the storefront, for example for a newsletter, appear here."
      filters={filters}
      columns={[
        { label: 'Email', show: ({ email }) => email },
        { label: 'Name', show: ({ name }) => name },
        { label: 'Source', show: ({ source }) => source },
        { label: 'Consent', show: ({ consent }) => formatConsent(consent) },
        { label: 'Decided', show: ({ consent_at }) => consent_at && formatTime(consent_at) },
        { label: 'Answers', show: ({ answers }) => <LongText>{answers && describeQuiz(answers)}</LongText> },
        { label: 'Since', show: ({ created_at }) => formatTime(created_at) },
      ]}
    />
  );
}
