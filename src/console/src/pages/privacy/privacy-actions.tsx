import type { Result } from '@storefront-commerce/client';
import { email, required } from 'react-admin';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { TextInput } from '../../lib/inputs.tsx';

/** What an owner alone may do. */
const scope = 'admin:write';

interface WithEmail {
  /** Whose data it is; without it, it is asked for. */
  readonly of?: string;
}

interface Input {
  readonly email: string;
}

/** Exports everything that is stored about an email, whether it is that of a customer or not. */
export function ExportPersonalData({ of }: WithEmail) {
  const navigate = useNavigate();
  return (
    <Action<Input, Result<'admin.exportPersonalData'>>
      label="Export"
      title={of ? `Export the personal data of ${of}` : 'Export personal data'}
      scope={scope}
      text="A file with everything stored about the email is written in the background, and can be downloaded for a day."
      input={{ email: of ?? '' }}
      run={(input, options) => admin.exportPersonalData(input, options)}
      onDone={(result) => navigate(`/exports/${result.export.id}/show`)}
      done="Export requested."
    >
      {of === undefined && <EmailInput />}
    </Action>
  );
}

/** Leads to the preview of an erasure, from which it is run. */
export function ErasePersonalData({ of }: WithEmail) {
  const navigate = useNavigate();
  return (
    <Action<Input, Result<'admin.previewErasure'>>
      label="Erase"
      title={of ? `Erase the personal data of ${of}` : 'Erase personal data'}
      submit="Preview"
      color="error"
      scope={scope}
      text="You first see what would be deleted and what would stay. Nothing is erased until you confirm."
      input={{ email: of ?? '' }}
      run={(input) => admin.previewErasure(input)}
      onDone={({ erasure }) => navigate(`/erasures/${erasure.id}/show`)}
      done="Preview requested."
    >
      {of === undefined && <EmailInput />}
    </Action>
  );
}

const EmailInput = () => <TextInput source="email" label="Email" type="email" validate={[required(), email()]} />;
