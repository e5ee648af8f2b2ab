import type { ReactNode } from 'react';
import { DateTimeInput, type DateTimeInputProps } from 'react-admin';

import { nameOfZone } from './format.ts';

interface TimeInputProps extends DateTimeInputProps {
  readonly helperText?: string;
}

/** A time as people write it where they are. The form has it as the API does. */
export function TimeInput({ helperText, ...props }: TimeInputProps): ReactNode {
  return (
    <DateTimeInput
      {...props}
      slotProps={{ htmlInput: { max: lastTime } }}
      helperText={[helperText, `In the time zone of this computer: ${nameOfZone()}`].filter(Boolean).join('. ')}
      parse={(value: string | null) => (value ? new Date(value).toISOString() : null)}
    />
  );
}

/** A browser then takes years of four digits. What has more is no time here, and would be left out. */
const lastTime = '9999-12-31T23:59';
