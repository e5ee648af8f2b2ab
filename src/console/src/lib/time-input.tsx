import type { ReactNode } from 'react';
import { DateTimeInput, type DateTimeInputProps } from 'react-admin';

interface TimeInputProps extends DateTimeInputProps {
  readonly helperText?: string;
}

/** A time as people write it where they are. The form has it as the API does. */
export function TimeInput({ helperText, ...props }: TimeInputProps): ReactNode {
  return (
    <DateTimeInput
      {...props}
      helperText={[helperText, `In the time zone of this computer: ${nameOfZone()}`].filter(Boolean).join('. ')}
      parse={(value: string | null) => (value ? new Date(value).toISOString() : null)}
    />
  );
}

/** Such as "Central European Time". */
const nameOfZone = () =>
  new Intl.DateTimeFormat(undefined, { timeZoneName: 'longGeneric' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value;
