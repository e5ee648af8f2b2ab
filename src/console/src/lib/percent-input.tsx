import type { ComponentProps, ReactNode } from 'react';

import { DecimalInput } from './decimal-input.tsx';

/** A percentage as people write it, with or without its sign. */
export function PercentInput(props: ComponentProps<typeof DecimalInput>): ReactNode {
  return <DecimalInput decimals={4} signs={['%', '٪']} {...props} />;
}
