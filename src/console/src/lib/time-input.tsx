import type { ReactNode } from 'react';
import { DateTimeInput, type DateTimeInputProps } from 'react-admin';

/** A time as people write it where they are. The form has it as the API does. */
export function TimeInput(props: DateTimeInputProps): ReactNode {
  return <DateTimeInput {...props} parse={(value: string | null) => (value ? new Date(value).toISOString() : null)} />;
}
