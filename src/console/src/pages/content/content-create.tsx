import type { Body, Result } from '@storefront-commerce/client';
import { required } from 'react-admin';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { EditForm } from '../../lib/edit-form.tsx';
import { Panel } from '../../lib/facts.tsx';
import { TextInput } from '../../lib/inputs.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { ContentInputs, withImage } from './content-inputs.tsx';

export function ContentCreate() {
  const navigate = useNavigate();
  return (
    <>
      <PageHeading title="New entry" />
      <Panel title="Entry">
        <EditForm<Body<'admin.createEntry'>, Result<'admin.createEntry'>>
          input={{ body: { format: 'markdown', value: '' } }}
          run={(input) => admin.createEntry(withImage(input))}
          onDone={({ entry: { type, slug } }) =>
            navigate(`/content/${encodeURIComponent(`${type}/${slug}`)}/show`, { replace: true })
          }
          done="Entry created."
          label="Create"
        >
          <TextInput
            source="type"
            label="Type"
            helperText="For example article or announcement"
            validate={required()}
          />
          <TextInput
            source="slug"
            label="Slug"
            helperText="The end of its URL, such as care-for-wood"
            validate={required()}
          />
          <ContentInputs />
        </EditForm>
      </Panel>
    </>
  );
}
