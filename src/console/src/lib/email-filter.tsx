import { email } from 'react-admin';
import { TextInput } from './inputs.tsx';

/** Filters a list by one email. While it is typed, the list stays as it is. */
export const emailFilter = (
  <TextInput
    key="email"
    source="email"
    label="Email"
    type="email"
    validate={email()}
    // Filters have no text below them, but for what is wrong.
    sx={{ '& .MuiFormHelperText-root.Mui-error': { display: 'block' } }}
    alwaysOn
  />
);
